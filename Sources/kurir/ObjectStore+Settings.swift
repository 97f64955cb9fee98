import Deliveries
import Gateways

extension ObjectStore: PictureStore {}

extension ObjectStore.Settings {
    /// The store that `--files` names; nil where pictures stay in the database.
    init?(_ settings: GivenSettings) throws {
        let form =
            "s3://BUCKET?endpoint=URL&region=NAME, as in s3://pictures?endpoint=https://minio.example&region=eu-1"
        guard let place = try settings.value(.files, expected: form, ObjectStore.Place.init) else { return nil }
        guard try place.isSecure || settings.has(.gatewayInsecure) else {
            throw UsageError(
                "\(place.endpoint) has no TLS, so that everybody on the way would see the pictures: name an https:// one, or say"
                    + " --insecure-transport where nobody is on the way")
        }
        guard let user = settings.text(.filesUser),
            let password = try settings.secret(.filesPassword, orIn: .filesPasswordFile)
        else {
            throw UsageError(
                "--files wants \(Option.filesUser.environment), and \(Option.filesPassword.environment) or"
                    + " --\(Option.filesPasswordFile.name) FILE")
        }
        self.init(place, login: (user, password), trusting: try settings.certificates())
    }
}
