@_exported public import MarketProfiles
@_exported public import TagStore
