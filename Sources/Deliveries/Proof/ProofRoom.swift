import API
import Domain
import HTTP

/// What was signed when a delivery was handed over, and the keys to verify it with.
package struct ProofRoom: Room {
    private let keys: ProofKeys

    package init(_ keys: ProofKeys) { self.keys = keys }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/deliveries/{id}/proof", for: .signedIn,
                "What was signed when it was handed over, for its store and its courier", room: "Deliveries",
                answers: [.ok(Self.shape)]
            ) { .json(try await Self.find($0).json) },
            Endpoint(
                .get, "/.well-known/kurir-proof-keys", for: .anyone,
                "The public keys that proofs are signed with, former ones too (JWKS)", room: "About",
                answers: [.ok(Self.keysShape)]
            ) { _ in .json(ProofKeys.published(try await keys.all())) },
        ]
    }

    /// The proof of the delivery that a call names, for its store and for who handed it over.
    package static func find(_ call: Call) async throws -> SignedProof {
        let account = call.caller.account
        let find = FindDelivery(account: account, id: try call.request.parameter("id"))
        guard let found = try await call.run(find).first, found.isVisible(to: account),
            [found.delivery.store, found.delivery.courier].contains(account), found.delivery.status == .delivered,
            let proof = try await call.run(FindProof(delivery: found.delivery.id)).first
        else { throw Problem.notFound }
        let told = found.isForgotten ? proof.withoutRecipient : proof
        return account == found.delivery.courier ? told.read(by: account) : told
    }

    private static let shape = Shape.object(
        "Proof",
        [
            .init("bundle", .anyObject), .init("signature", .string(pattern: "^[A-Za-z0-9_-]{86}$")),
            .init("key_id", .string()), .init("disclosures", .anyObject),
        ])
    private static let keysShape = Shape.object(
        "ProofKeys",
        [
            .init(
                "keys",
                .array(
                    .object(
                        "ProofKey", ["kty", "crv", "x", "kid", "use", "alg"].map { .init($0, .string()) })))
        ])
}
