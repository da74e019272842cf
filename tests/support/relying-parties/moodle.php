<?php
// cspell:ignore wantsurl sesskey
// A sign-in with the requests that the OAuth 2 services of Moodle's core send. Arguments: issuer, client id, secret, redirect URI, and how the
// secret is sent: post or basic. Prints the address of the request; reads the address that the browser came back to; prints the userinfo.
[, $issuer, $id, $secret, $redirect, $method] = $argv;

function call(string $url, array $headers = [], ?array $form = null): array {
    $headers[] = 'Accept: application/json';
    if ($form !== null) {
        $headers[] = 'Content-Type: application/x-www-form-urlencoded';
    }
    $http = ['method' => $form === null ? 'GET' : 'POST', 'header' => implode("\r\n", $headers), 'ignore_errors' => true];
    if ($form !== null) {
        $http['content'] = http_build_query($form, '', '&');
    }
    $body = file_get_contents($url, false, stream_context_create(['http' => $http]));
    return json_decode($body, true) ?? ['error' => 'not JSON', 'body' => $body];
}

// "Service base URL": the endpoints come from the discovery document.
$server = call("$issuer/.well-known/openid-configuration");
// An address on the site: with a key of the session and a query of its own.
$state = '/auth/oauth2/login.php?wantsurl=' . rawurlencode('https://moodle.school.example/my/?a=1&b=2') . '&sesskey=q8Zt4Pf1sX&id=3';
$query = ['client_id' => $id, 'response_type' => 'code', 'redirect_uri' => $redirect, 'state' => $state, 'scope' => 'openid profile email'];
echo $server['authorization_endpoint'] . '?' . http_build_query($query, '', '&') . "\n";

parse_str(parse_url(trim(fgets(STDIN)), PHP_URL_QUERY), $answer);
if (($answer['state'] ?? null) !== $state) {
    exit('the state is another one');
}
$form = ['code' => $answer['code'] ?? '', 'grant_type' => 'authorization_code', 'redirect_uri' => $redirect];
$headers = [];
if ($method === 'basic') {
    $headers[] = 'Authorization: Basic ' . base64_encode(urlencode($id) . ':' . urlencode($secret));
} else {
    $form += ['client_id' => $id, 'client_secret' => $secret];
}
$tokens = call($server['token_endpoint'], $headers, $form);
if (!isset($tokens['access_token'])) {
    exit(json_encode($tokens));
}
echo json_encode(call($server['userinfo_endpoint'], ['Authorization: Bearer ' . $tokens['access_token']])) . "\n";
