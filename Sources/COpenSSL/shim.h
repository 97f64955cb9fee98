#pragma once
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

/* A server's context. It is made here, since libssl gives most of it as macros. */

/* Of what a client speaks, HTTP/1.1 is taken; a client that speaks something else only is told so. */
static inline int copenssl_choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned int size,
    void *unused)
{
    static const unsigned char ours[] = "\x08http/1.1";
    (void)ssl, (void)unused;
    int found = SSL_select_next_proto((unsigned char **)chosen, length, ours, sizeof ours - 1, offered, size);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* A key that wants a password is refused. Without this, libssl would ask whoever sits at the terminal. */
static inline int copenssl_no_password(char *buffer, int size, int writes, void *unused)
{
    (void)buffer, (void)size, (void)writes, (void)unused;
    return -1;
}

/* TLS 1.2 and 1.3, by ciphers that keep secrets of today from who gets the key tomorrow. Sessions are not resumed, so that
   no key of tickets is worth stealing, and no early data can be played again. */
static inline SSL_CTX *copenssl_server_context(void)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context == NULL) return NULL;
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    /* Whatever arrives that is no data of the client returns to the loop, which has others to serve. */
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_security_level(context, 2);
    SSL_CTX_set_alpn_select_cb(context, copenssl_choose_protocol, NULL);
    SSL_CTX_set_default_passwd_cb(context, copenssl_no_password);
    if (SSL_CTX_set_num_tickets(context, 0) == 1 && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        && SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
        && SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") == 1)
        return context;
    SSL_CTX_free(context);
    return NULL;
}
