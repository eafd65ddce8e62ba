/*
 * For the tests alone: a key that everybody can read, and its certificate for the name smsc.test, which does not exist.
 * Good until 2126. Kept here because Node makes no certificates.
 */

export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlzbXNjLnRl
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CXNtc2MudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFowNXgHm52p+Ha1
lW237m9K7q8IPUWzcXRyPif0XedK6y/8gQWMUt7nBKPpcwZdouQs+agwfjl+82bB
SGiYNamjSDBGMBQGA1UdEQQNMAuCCXNtc2MudGVzdDAPBgNVHRMBAf8EBTADAQH/
MB0GA1UdDgQWBBTc6cCx+vHxz8tavB7vdi+QkLCiNDAKBggqhkjOPQQDAgNIADBF
AiAeNoHvZ5VoQn4MY+5GAi3HaBEEW+TQTqa66bWQ85WbgAIhAOHKVoOa6Yab3Vop
vrz3iep4Wi/gH8vDNpMu1HBbSOgo
-----END CERTIFICATE-----
`

export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxmCmGfpQOAxvFQUF
Gph3IgB2H8k35lT5m1tbTr+pSXyhRANCAARaMDV4B5udqfh2tZVtt+5vSu6vCD1F
s3F0cj4n9F3nSusv/IEFjFLe5wSj6XMGXaLkLPmoMH45fvNmwUhomDWp
-----END PRIVATE KEY-----
`
