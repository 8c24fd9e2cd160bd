"""Taking memories elsewhere and back: exports, snapshots, new indexes."""
