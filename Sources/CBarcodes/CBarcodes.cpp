#define ZX_USE_UTF8 1
#include "CBarcodes.h"
#include <ZXing/ReadBarcode.h>
#include <string>

using namespace ZXing;

void cbarcodes_read(const uint8_t *pixels, int width, int height, int most, cbarcodes_take take, void *to)
{
    try {
        DecodeHints hints;
        hints.setFormats(BarcodeFormat::QRCode | BarcodeFormat::MicroQRCode | BarcodeFormat::Aztec | BarcodeFormat::DataMatrix
            | BarcodeFormat::PDF417 | BarcodeFormat::Code128 | BarcodeFormat::Code39 | BarcodeFormat::EAN13 | BarcodeFormat::EAN8
            | BarcodeFormat::ITF);
        hints.setTryHarder(true);
        hints.setTryRotate(true);
        hints.setTryDownscale(true);
        hints.setMaxNumberOfSymbols(static_cast<uint8_t>(most));
        auto found = ReadBarcodes(ImageView(pixels, width, height, ImageFormat::Lum), hints);
        for (const auto &code : found) {
            if (!code.isValid()) continue;
            std::string text = code.text();
            std::string format = ToString(code.format());
            take(to, format.c_str(), text.data(), text.size());
        }
    } catch (...) {
        /* Nothing of C++ may come up among frames of Swift. */
    }
}
