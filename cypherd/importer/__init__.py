"""Loading a folder of CSV files into a new store (docs/storage.md)."""

from cypherd.importer.loading import ImportReport, import_folder

__all__ = ["ImportReport", "import_folder"]
