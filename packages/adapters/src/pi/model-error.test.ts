import assert from "node:assert/strict";
import { test } from "node:test";
import { modelError } from "./model-error.ts";

test("a failed model call is sorted by its status, else by its words", () => {
  const cases: [string, string, string, number | undefined][] = [
    ['401: {"message":"no such key","type":"authentication_error"}', "auth", "no such key", 401],
    ['403: {"error":{"message":"not allowed"}}', "auth", "not allowed", 403],
    ["401 status code (no body)", "auth", "401 status code (no body)", 401],
    ['402: {"message":"pay first"}', "credits", "pay first", 402],
    ['429: {"message":"You exceeded your current quota","code":"insufficient_quota"}', "credits", "You exceeded your current quota", 429],
    ['429: {"message":"slow down"}', "rate_limit", "slow down", 429],
    ['openai API error (429): {"message":"slow down"}', "rate_limit", "slow down", 429],
    ['413: {"message":"too big"}', "context_length", "too big", 413],
    ['400: {"message":"This model\'s maximum context length is 8192 tokens."}', "context_length", "This model's maximum context length is 8192 tokens.", 400],
    ['400: {"message":"unknown field foo"}', "unknown", "unknown field foo", 400],
    ["500 status code (no body)", "upstream", "500 status code (no body)", 500],
    ["Stream ended without finish_reason", "upstream", "The model's answer broke off or never came (Stream ended without finish_reason).", undefined],
    ["Connection error.: connect ECONNREFUSED 127.0.0.1:9", "upstream", "The model's answer broke off or never came (Connection error.: connect ECONNREFUSED 127.0.0.1:9).", undefined],
    ["something odd", "unknown", "something odd", undefined],
    ["4010 things went wrong", "unknown", "4010 things went wrong", undefined],
  ];
  for (const [text, code, message, status] of cases) {
    assert.deepEqual(modelError(text), { code, message, ...(status === undefined ? {} : { status }) }, text);
  }
});
