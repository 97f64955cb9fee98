import Domain
import Testing

@Suite struct DistanceTests {
    private func place(_ lat: Double, _ lon: Double) -> Location { Location(lat: lat, lon: lon)! }

    /// By other people's tables, to the kilometre.
    @Test func `distances are those of the earth`() {
        let (zagreb, split) = (place(45.8131, 15.9775), place(43.5081, 16.4402))
        #expect(abs(zagreb.meters(to: split) - 258_900) < 1000)
        let (london, newYork) = (place(51.5074, -0.1278), place(40.7128, -74.0060))
        #expect(abs(london.meters(to: newYork) - 5_570_200) < 2000)
        #expect(zagreb.meters(to: zagreb) == 0 && zagreb.meters(to: split) == split.meters(to: zagreb))
    }

    @Test func `the way across the date line and over the poles is short`() {
        #expect(abs(place(0, 179.999).meters(to: place(0, -179.999)) - 222.4) < 0.1)
        #expect(abs(place(89.999, 0).meters(to: place(89.999, 180)) - 222.4) < 0.1)
        #expect(abs(place(90, 0).meters(to: place(-90, 0)) - 20_015_115) < 1)
    }

    @Test func `streets are longer than straight lines`() {
        let (here, there) = (place(45, 16), place(45, 16.01))
        #expect(StraightWay.meters(from: here, to: there) == here.meters(to: there) * 1.4)
        #expect(StraightWay.seconds(from: here, to: there) == here.meters(to: there) * 1.4 / 5)
    }
}
