import Crypto
import Product
import TestSupport
import Testing

@Suite(.database) struct PushKeyTests {
    /// Push services know a server by its key, and browsers subscribe to one key alone.
    @Test func `nodes that begin at the same moment have one key`() async throws {
        try await ServedProduct.serving { api in
            for _ in 0..<20 {
                try await api.execute("DELETE FROM server_keys WHERE purpose = 'web push'")
                let keys = try await together(8) {
                    try await PushKey.find(api.database, ServedProduct.secret).publicPoint
                }
                #expect(Set(keys).count == 1)
            }
        }
    }
}
