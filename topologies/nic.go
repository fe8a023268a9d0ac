package topologies

import (
	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// nic reads the network interface of an NPU, or of several that share one.
func nic(v document.Value, npus int) model.NIC {
	if !v.Present() {
		return model.NIC{}
	}
	n := model.NIC{
		Ports:        v.Key("ports").Int(1, document.Range(1, 64)),
		NPUs:         v.Key("npus").Int(1, document.Range(1, last(npus)+1)),
		Bandwidth:    v.Key("bandwidth").Rate(0, document.Required, document.Positive),
		MTU:          v.Key("mtu").Bytes(0, document.Bare, document.Positive),
		Header:       v.Key("header").Bytes(0),
		Drive:        drive(v.Key("drive")),
		ByRequest:    document.Enum(v.Key("arbitration"), "packet", []string{"packet", "request"}) == "request",
		GrainRequest: document.Enum(v.Key("grain"), "message", []string{"message", "request"}) == "request",
		Finack:       v.Key("finack").Bool(false),
	}
	request := v.Key("request")
	n.Request = model.WorkRequest{
		Post:   request.Key("post").Duration(0),
		Issue:  request.Key("issue").Duration(0),
		Header: request.Key("header").Bytes(0),
		Max:    request.Key("max").Bytes(2<<30, document.Positive), // what one work request can say
	}
	n.Staged = document.Enum(v.Key("path"), "direct", []string{"direct", "staged"}) == "staged"
	stages := v.Key("stages")
	n.Fetch, n.Store = stage(stages.Key("fetch")), stage(stages.Key("store"))
	n.WireOverhead = stages.Key("wire").Key("overhead").Duration(0)
	if n.Staged && !stages.Present() {
		v.Key("path").Errorf("staged needs npu.nic.stages, what fetching and storing cost, e.g. {fetch: {bandwidth: 27.2GB/s, overhead: 1us}, store: {bandwidth: 27.2GB/s, overhead: 1us}}")
	}
	checkPackets(v, n)
	return n
}

// stage reads a part of the staged path.
func stage(v document.Value) model.Stage {
	return model.Stage{Bandwidth: rate(v, "bandwidth"), Overhead: v.Key("overhead").Duration(0)}
}

// checkPackets checks what is said of packets and their headers.
func checkPackets(v document.Value, n model.NIC) {
	const largest = 64 << 10
	for _, h := range []document.Value{v.Key("header"), v.Key("request").Key("header")} {
		if size := h.Bytes(0); size > units.Bytes(largest) {
			h.Errorf("a header has at most 64KiB, got %v", size)
		}
	}
	if n.MTU > 0 && n.MTU < 64 {
		v.Key("mtu").Errorf("a packet carries at least 64B, got %v", n.MTU)
	}
	if n.Header > 0 && !v.Key("mtu").Present() {
		v.Key("header").Errorf("a header of %v a packet needs npu.nic.mtu, the payload of a packet", n.Header)
	}
}
