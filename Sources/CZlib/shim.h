// zlib (zlib1g-dev): raw deflate and CRC-32.
#include <zlib.h>
