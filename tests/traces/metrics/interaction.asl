// The measurements that Bubak, Funika and Wismueller give as examples (G-PM, 2002).

const float PEAK_BANDWIDTH = 40; // GB/s, as a benchmark measured it

// Bytes put from the begins to the ends of the visits of a region.
metric volume(Region r, Experiment e) {
  unit: bytes;
  value: profile(r, e)."bytes_put";
}

// How long a visit takes.
metric response(Region r, Experiment e) {
  unit: ns;
  value: profile(r, e).time / profile(r, e).visits;
}

// The bandwidth of puts.
metric share_of_peak(Region r, Experiment e) {
  let
    float bandwidth = profile(r, e)."bytes_put" / profile(r, e).rma_time;
  in
  unit: share;
  value: bandwidth / PEAK_BANDWIDTH;
}

metric path_share(CallPath c, Experiment e) {
  unit: share;
  value: profile(c, e).time / profile(e).time;
}

metric own_share(Process p, Experiment e) {
  unit: share;
  value: profile(p, e).computing_time / profile(p, e).time;
}

metric node_time(Node n, Experiment e) {
  unit: ns;
  value: profile(n, e).computing_time;
}

// Computing of the busiest node over that of the mean one.
metric node_imbalance(Experiment e) {
  let
    float most = max(profile(e, n).computing_time where n in nodes);
    float mean = mean(profile(e, n).computing_time where n in nodes);
  in
  unit: share;
  value: most / mean;
}

metric flops(Region r, Experiment e) {
  unit: GFLOP/s;
  value: profile(r, e)."PAPI_FP_OPS" / profile(r, e).time;
}
