import Testing

@testable import Domain

@Suite struct LocalTimeTests {
    @Test(arguments: [
        ("HR", "2026-01-15T11:05:00.000Z", "12:05"), ("HR", "2026-07-15T11:05:00.000Z", "13:05"),
        ("DE", "2026-03-29T00:59:59.000Z", "01:59"), ("DE", "2026-03-29T01:00:00.000Z", "03:00"),
        ("SI", "2026-10-25T00:59:00.000Z", "02:59"), ("SI", "2026-10-25T01:00:00.000Z", "02:00"),
        ("IE", "2026-12-31T23:59:00.000Z", "23:59"), ("GR", "2026-12-31T22:30:00.000Z", "00:30"),
        ("US", "2026-07-15T11:05:00.000Z", "11:05 UTC"),
    ])
    func `a clock shows the time of its country, in summer too`(_ country: String, _ time: String, _ shown: String)
        throws
    {
        #expect(LocalTime(in: country).clock(try Moment(time)) == shown)
    }
}
