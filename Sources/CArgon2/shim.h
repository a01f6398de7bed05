// The reference implementation of Argon2, RFC 9106 (libargon2-dev).
#include <argon2.h>
