<?php

declare(strict_types=1);

/**
 * Sessions of the sign-in app, for plain PHP 8.1 or newer. Environment: IDENTITY_ORIGIN, OWN_ORIGIN, and optionally
 * IDENTITY_TIMEOUT_MS.
 */

/** The only cookie of a request that is forwarded. */
const SESSION_COOKIE = '_secure-user-session';
const CACHE_SECONDS = 5;
const SIGNED_OUT_PAGE = <<<'HTML'
<!doctype html><html lang="en"><title>You've been signed out</title>
<h1>You've been signed out</h1><p>What you sent isn't saved yet. Leave this page open, and
<a href="{address}" target="_blank" rel="noopener">sign in in a new tab</a>. Then come back and reload this page: your browser sends it again.</p></html>
HTML;
const UNAVAILABLE_PAGE = <<<'HTML'
<!doctype html><html lang="en"><title>We can't check your sign-in right now</title>
<h1>We can't check your sign-in right now</h1><p>You're still signed in. <a href="">Try again</a> in a moment.</p></html>
HTML;

/**
 * @param bool $cached false, before a change that matters: the sign-in app is always asked
 * @return array{state: 'signed-in'|'signed-out'|'unknown', learner?: array<string, mixed>} `unknown`: it cannot be checked
 *   now
 */
function get_session(bool $cached = true): array
{
    $cookie = select_session_cookie($_SERVER['HTTP_COOKIE'] ?? '');
    $identityOrigin = get_origin('IDENTITY_ORIGIN');
    if ($cookie === '') {
        return ['state' => 'signed-out'];
    }
    // APCu is bounded by apc.shm_size. Without the extension nothing is cached.
    $caches = function_exists('apcu_enabled') && apcu_enabled();
    // Sites of another sign-in app may share the cache.
    $key = 'identity-' . hash('sha256', $identityOrigin . "\n" . $cookie);
    $known = $caches && $cached ? apcu_fetch($key) : false;
    if ($known !== false) {
        return $known;
    }
    $session = fetch_session($cookie);
    // Only a success is worth keeping: a failure may be over with the next request.
    if ($caches && $session['state'] === 'signed-in') {
        // APCu keeps an entry for up to a second more, and for ever with 0.
        $left = strtotime($session['learner']['expiresAt'] ?? '') - time() - 1;
        if ($left > 0) {
            apcu_store($key, $session, min(CACHE_SECONDS, $left));
        }
    }
    return $session;
}

/** For pages that need a learner: returns the learner, or responds itself and exits. @return array<string, mixed> */
function require_learner(): array
{
    $session = get_session();
    header('Cache-Control: private, no-store');
    if ($session['state'] === 'signed-in') {
        return $session['learner'];
    }
    if ($session['state'] === 'signed-out') {
        answer_signed_out();
    }
    // Not a redirect: while the sign-in app cannot be reached, it would end in a loop.
    http_response_code(503);
    header('Retry-After: 5');
    exit(UNAVAILABLE_PAGE);
}

/**
 * A page is redirected to sign-in. A form that was sent is not, because what it contains would be lost: reloading the answer sends it again. A
 * script is not either: it could not follow to another origin.
 */
function answer_signed_out(): never
{
    $mode = $_SERVER['HTTP_SEC_FETCH_MODE'] ?? '';
    $isScript = $mode === '' ? str_contains($_SERVER['HTTP_ACCEPT'] ?? '', 'json') : $mode !== 'navigate';
    $isRead = in_array($_SERVER['REQUEST_METHOD'], ['GET', 'HEAD'], true);
    if (!$isScript && $isRead) {
        header('Location: ' . get_identity_url('/sign-in', $_SERVER['REQUEST_URI']), true, 303);
        exit;
    }
    http_response_code(401);
    $address = get_identity_url('/sign-in', '/');
    if ($isScript) {
        header('Content-Type: application/json');
        exit(json_encode(['error' => 'signed-out', 'signInUrl' => $address], JSON_THROW_ON_ERROR));
    }
    exit(str_replace('{address}', htmlspecialchars($address), SIGNED_OUT_PAGE));
}

/** An origin of the environment: without one, visitors would be redirected to this site itself, in circles. */
function get_origin(string $name): string
{
    $origin = (string) getenv($name);
    if (preg_match('~^https?://[^/]+$~D', $origin) !== 1) {
        http_response_code(500);
        error_log("$name must be an origin, such as https://id.campus.example");
        exit('This site is not configured.');
    }
    return $origin;
}

/**
 * @param string $page `/sign-in`, or `/sign-out`, which asks whether to sign out
 * @param string $path of this site, to return to
 */
function get_identity_url(string $page, string $path): string
{
    $path = str_starts_with($path, '/') ? $path : '/';
    // OWN_ORIGIN is configuration, never the Host header, which the visitor chooses.
    $query = http_build_query(['redirect_uri' => get_origin('OWN_ORIGIN') . $path]);
    return get_origin('IDENTITY_ORIGIN') . $page . '?' . $query;
}

/** @return array{state: 'signed-in'|'signed-out'|'unknown', learner?: array<string, mixed>} */
function fetch_session(string $cookie): array
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => ["Cookie: $cookie", 'Content-Length: 0', 'Connection: close'],
        'timeout' => (int) (getenv('IDENTITY_TIMEOUT_MS') ?: 5000) / 1000,
        'follow_location' => 0,
        'ignore_errors' => true,
    ]]);
    $response = @fopen(get_origin('IDENTITY_ORIGIN') . '/api/check-auth-status', 'r', false, $context);
    if ($response === false) {
        return ['state' => 'unknown'];
    }
    $status = (int) (explode(' ', stream_get_meta_data($response)['wrapper_data'][0])[1] ?? 0);
    $learner = $status === 200 ? json_decode((string) stream_get_contents($response), true) : null;
    // A proxy or a captive portal may answer with 200, too.
    if (is_array($learner) && is_string($learner['uid'] ?? null) && $learner['uid'] !== '') {
        return ['state' => 'signed-in', 'learner' => $learner];
    }
    return ['state' => $status === 401 ? 'signed-out' : 'unknown'];
}

function select_session_cookie(string $header): string
{
    $cookies = array_map('trim', explode(';', $header));
    $isSession = fn (string $cookie) => str_starts_with($cookie, SESSION_COOKIE . '=') && $cookie !== SESSION_COOKIE . '=';
    return implode('; ', array_filter($cookies, $isSession));
}
