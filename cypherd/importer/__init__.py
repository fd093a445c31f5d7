"""Loading CSV files into a new store (docs/import.md)."""

from cypherd.importer.groups import ImportOptions
from cypherd.importer.loading import ImportReport, import_files, import_folder

__all__ = ["ImportOptions", "ImportReport", "import_files", "import_folder"]
