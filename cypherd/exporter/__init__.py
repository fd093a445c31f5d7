"""Writing a store as CSV files that `cypherd import` and neo4j-admin take (docs/import.md)."""

from cypherd.exporter.writing import ExportReport, export_store

__all__ = ["ExportReport", "export_store"]
