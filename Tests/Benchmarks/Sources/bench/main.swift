import Workload
var results = bench_results()
print(strataSwiftPeer.share, grdbPeer.share)
