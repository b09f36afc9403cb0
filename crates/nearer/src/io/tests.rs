//! Files good and bad, end to end: every layout is read, and every fault is named with its place and remedy.
