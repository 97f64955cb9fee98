import Domain
import Testing

/// What a phone may say of where it was: the bounds, each at its last good value and at the first bad one.
@Suite struct FixTests {
    private static let now = Moment(milliseconds: 1_800_000_000_000)

    private func taken(
        lat: Double = 45, lon: Double = 16, accuracy: Double = 5, ahead milliseconds: Int64 = 0, speed: Double? = nil,
        heading: Double? = nil
    ) throws(Fix.Refusal) -> Fix {
        try Fix(
            lat: lat, lon: lon, accuracy: accuracy, at: Moment(milliseconds: Self.now.milliseconds + milliseconds),
            speed: speed, heading: heading, now: Self.now)
    }

    @Test(
        arguments: [
            (0, nil), (1000, nil), (-0.0, nil), (-0.001, .inaccurate), (1000.001, .inaccurate), (.nan, .inaccurate),
            (.infinity, .inaccurate), (-.infinity, .inaccurate), (1e300, .inaccurate),
        ] as [(Double, Fix.Refusal?)]) func `a fix is within a thousand metres`(
            _ accuracy: Double, _ refusal: Fix.Refusal?
        )
    {
        #expect(refusal == self.refusal { () throws(Fix.Refusal) in try taken(accuracy: accuracy) })
    }

    @Test(
        arguments: [
            (90, 180, nil), (-90, -180, nil), (0, 0, nil), (90.000001, 0, .outOfRange), (-90.000001, 0, .outOfRange),
            (0, 180.000001, .outOfRange), (0, -180.000001, .outOfRange), (.nan, 0, .outOfRange), (0, .nan, .outOfRange),
            (.infinity, 0, .outOfRange), (1e308, -1e308, .outOfRange),
        ] as [(Double, Double, Fix.Refusal?)]) func `a fix is on this earth`(
            _ lat: Double, _ lon: Double, _ refusal: Fix.Refusal?
        )
    {
        #expect(refusal == self.refusal { () throws(Fix.Refusal) in try taken(lat: lat, lon: lon) })
    }

    @Test(
        arguments: [
            (30_000, nil), (30_001, .future), (-86_400_000, nil), (-86_400_001, .stale), (250_000_000_000_000, .future),
            (-60_000_000_000_000, .stale),
        ] as [(Int64, Fix.Refusal?)]) func `a fix is of the last day, and half a minute ahead at most`(
            _ milliseconds: Int64, _ refusal: Fix.Refusal?
        )
    {
        #expect(refusal == self.refusal { () throws(Fix.Refusal) in try taken(ahead: milliseconds) })
    }

    @Test func `a speed or heading that can be none is nothing, and the fix is taken all the same`() throws {
        for odd in [-1, .nan, .infinity, -.infinity] as [Double] {
            let fix = try taken(speed: odd, heading: odd)
            #expect(fix.speed == nil && fix.heading == nil, "\(odd)")
        }
        #expect(try taken(heading: 360.5).heading == nil && taken(heading: 360).heading == 360)
        #expect(try taken(speed: 0).speed == 0)
    }

    private func refusal(_ take: () throws(Fix.Refusal) -> Fix) -> Fix.Refusal? {
        do throws(Fix.Refusal) { _ = try take() } catch { return error }
        return nil
    }
}
