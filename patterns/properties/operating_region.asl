// SPDX-License-Identifier: BSD-3-Clause
// The operating region of a program on a network: how large its pieces of work must be, and how
// many of them a rank must have at hand, so that computing hides the network (Chrisochoides, Lee
// and Lowekamp, Dagstuhl 2002). A piece of work is what a rank computes for each message that it
// sends. A file of your own tells the network; without it nothing is reported. Phases are
// intervals: --interval 'REGION#*'.

const float LINK_BANDWIDTH = 0;  // bytes/ns, which is GB/s
const float LINK_ROUND_TRIP = 0; // ns

// How long the messages keep the link of a rank busy, as a share of its computing. Above 100 % the
// link limits the run, however much work is at hand.
metric link_demand(Process p, Experiment e) {
  unit: share;
  value: profile(p, e).bytes / LINK_BANDWIDTH / profile(p, e).computing_time;
}

// Pieces of work that a rank must have at hand, so that it computes until what one of them asked
// for is back. With 1 it may ask and wait; with more it must overlap, or have as many threads.
metric pieces_to_hide_latency(Process p, Experiment e) {
  let
    float piece = profile(p, e).computing_time / profile(p, e).messages;
    float transfer = profile(p, e).bytes / profile(p, e).messages / LINK_BANDWIDTH;
  in
  unit: pieces;
  value: 1 + (LINK_ROUND_TRIP + transfer) / piece;
}

// Messages under way at a time that fill the link: bandwidth times round trip, by their mean size.
metric messages_to_fill_link(Process p, Experiment e) {
  unit: messages;
  value: LINK_BANDWIDTH * LINK_ROUND_TRIP / (profile(p, e).bytes / profile(p, e).messages);
}
