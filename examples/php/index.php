<?php

declare(strict_types=1);

require __DIR__ . '/identity.php';

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/dashboard') {
    $learner = require_learner();
    header('Content-Type: application/json');
    echo json_encode($learner);
} elseif ($path === '/change') {
    header('Content-Type: text/plain');
    echo get_session(cached: false)['state'];
} elseif ($path === '/sign-out') {
    header('Location: ' . get_identity_url('/sign-out', '/'), true, 302);
} else {
    header('Content-Type: text/plain');
    echo 'A public page';
}
