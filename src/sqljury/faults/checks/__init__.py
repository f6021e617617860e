"""The checks, one file per topic; the registry imports every module of this folder."""
