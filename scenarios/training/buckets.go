package training

// Bucket is gradients that are summed up together, as PyTorch's DistributedDataParallel
// has them.
type Bucket struct {
	Bytes int64
	Layer int // whose backward pass makes the last of them ready
}

// Buckets collects the gradients in reverse order, as the backward pass makes them ready. A
// bucket is closed when its size reaches the limit; the first has a limit of its own, so
// that the first sum begins early (kDefaultFirstBucketBytes and kDefaultBucketBytesCap of
// PyTorch's reducer). elem is the bytes of an element.
func (m *Model) Buckets(first, limit, elem int64) (buckets []Bucket) {
	var open Bucket
	most := first
	for i := len(m.Layers) - 1; i >= 0; i-- {
		for j := len(m.Layers[i].Tensors) - 1; j >= 0; j-- {
			open.Bytes += m.Layers[i].Tensors[j].Elements * elem
			open.Layer = i
			if open.Bytes >= most {
				buckets = append(buckets, open)
				open, most = Bucket{}, limit
			}
		}
	}
	if open.Bytes > 0 {
		buckets = append(buckets, open)
	}
	return buckets
}
