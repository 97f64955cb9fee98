import Crypto

/// Somebody's name, as it is written on a phone.
enum DrawnName {
    /// The picture.
    static let png =
        Base64.decode(
            """
            iVBORw0KGgoAAAANSUhEUgAAAGAAAAAoAQAAAAAp6MKUAAAAv0lEQVR42rWRIa7CUBBFTx+iFR+HJIDrFj6G1xWwBgSSDZCQgEPCElgHCoEHxQZK\
            AgkSU8jQi6Gl/HzLuMmdM5l7JxDvcnyzWf6vIMUq6g+jpMr8VBi7alFlslK53RTr8laMw2vBHfUJYQUOaoRsZwwBXc1MLW8TL3Qys6lvZ5oLnfJx\
            3vOLVNnUcYYgT36PhKBdPlZTaVuSYx+sGVHvlOa6RBsAecVK9SjOGRQTTgkRjWogURlI6e0zkOB7z3oCajtvTWUq6QwAAAAASUVORK5CYII=
            """) ?? []
}
