"""The domain packs that come with Recollect."""
