"""The embedded store: a graph in one LMDB file, shared by several processes."""
