"""Results documents into tables for readers; no number is computed here."""
