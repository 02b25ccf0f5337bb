// What prabhuomkar/pytorch-cpp uses of stb_image_resize2, by the nearest pixels.
#pragma once

enum stbir_pixel_layout : int {};

inline unsigned char *stbir_resize_uint8_linear(const unsigned char *from, int width, int height,
                                                int, unsigned char *to, int newWidth, int newHeight,
                                                int, stbir_pixel_layout channels) {
  for (int y = 0; y < newHeight; ++y)
    for (int x = 0; x < newWidth; ++x)
      for (int c = 0; c < channels; ++c)
        to[(y * newWidth + x) * channels + c] =
            from[(y * height / newHeight * width + x * width / newWidth) * channels + c];
  return to;
}
