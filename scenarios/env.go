package scenarios

// variables are the names that may stand under env. None acts in this version; they are
// known so that a misspelt one is an error and a right one is a warning, not silence.
var variables = []string{
	"HCCL_ALGO",
	"HCCL_BUFFSIZE",
	"HCCL_CONNECT_TIMEOUT",
	"HCCL_DETERMINISTIC",
	"HCCL_EXEC_TIMEOUT",
	"HCCL_IF_IP",
	"HCCL_INTER_HCCS_DISABLE",
	"HCCL_INTRA_PCIE_ENABLE",
	"HCCL_INTRA_ROCE_ENABLE",
	"HCCL_LOGIC_SUPERPOD_ID",
	"HCCL_MULTI_QP_THRESHOLD",
	"HCCL_OP_EXPANSION_MODE",
	"HCCL_OP_RETRY_ENABLE",
	"HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT",
	"HCCL_RDMA_QPS_PER_CONNECTION",
	"HCCL_RDMA_QP_PORT_CONFIG_PATH",
	"HCCL_RDMA_RETRY_CNT",
	"HCCL_RDMA_SL",
	"HCCL_RDMA_SPLIT_THRESHOLD", // hcclsim's own
	"HCCL_RDMA_TC",
	"HCCL_RDMA_TIMEOUT",
	"HCCL_RING_THRESHOLD", // hcclsim's own
	"HCCL_SOCKET_IFNAME",
	"HCCL_TREE_THRESHOLD", // hcclsim's own
}
