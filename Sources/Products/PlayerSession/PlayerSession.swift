@_exported public import TagStore
