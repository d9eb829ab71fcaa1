/** The OpenAPI document. Made by `npm run openapi`; not to be edited. */
import type { JsonObject } from "../../core/json.ts";

export const OPENAPI_DOCUMENT: JsonObject = {
 "openapi": "3.1.0",
 "info": {
  "title": "Holdfast",
  "version": "0.1.0",
  "summary": "Durable jobs on storage you already have.",
  "description": "JSON over HTTP.\n\n**Keys.** Send `Authorization: Bearer <key>`. A key belongs to one tenant and has scopes; `:write` includes `:read` of the same machine, and `*` everything. Tokens of leases and claims are shown to keys with `emails:write` only, that of a query's run to whoever started it. A service without keys answers requests of its own host only, and lets them do everything.\n\n**Requests.** Bodies are JSON in UTF-8 with `Content-Type: application/json`; an empty one is `{}`. Unknown properties and parameters are refused (in a submitted query dropped), and so is `null` for an optional property that is not nullable. Durations are whole milliseconds; times are ISO 8601, in answers in UTC with milliseconds, but for those of a receipt, which are milliseconds since 1970. `HEAD` is answered wherever `GET` is.\n\n**Refusals** are `application/problem+json` (RFC 9457) with a stable `code`, which `/docs#<code>` explains. Match on `code`. One by a record's state tells that `state` (of a query `jobStatus`) and its `updatedAt`. On every query route `error` stands beside, with the same code. On every path there may also be 404 `not_found` and 405 `method_not_allowed` (with `Allow`).\n\n**Repeats.** Repeating a request never does harm: it is answered as before, or refused with the current state. After a 503, a 429 or a lost answer repeat the same request; `Retry-After` tells when.\n\n**Lists.** `limit` is 1 to 100, 50 by default (receipts: 128, 64); `cursor` is the `nextCursor` of the page before. A page may be short, even empty, and have a `nextCursor`; null ends the list. What was there throughout a walk is met exactly once.\n\n**Request ids.** Every answer has an `X-Request-Id`: the request's own, or one that was made.",
  "license": {
   "name": "MIT",
   "identifier": "MIT"
  }
 },
 "servers": [
  {
   "url": "/"
  }
 ],
 "tags": [
  {
   "name": "Emails",
   "description": "Jobs that send one email each, and who works on them."
  },
  {
   "name": "Email configuration",
   "description": "Since when emails are made, and scans' cursors."
  },
  {
   "name": "Receipts",
   "description": "Operations that happen once, or are known to be unknown."
  },
  {
   "name": "Queries",
   "description": "Questions to an AI, who answers them, and what came of them."
  },
  {
   "name": "Operations",
   "description": "What waits, what is stuck, what must be forgotten."
  },
  {
   "name": "Service",
   "description": "Open to everybody: no key is asked for."
  }
 ],
 "paths": {
  "/v1/emails": {
   "post": {
    "operationId": "enqueueEmail",
    "tags": [
     "Emails"
    ],
    "summary": "Create the job of a logical key, once",
    "description": "The first call creates the job (201); every later one is answered with the stored job (200), whatever payload it brings, unless `onPayloadMismatch` is `\"conflict\"`.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "$ref": "#/components/schemas/EnqueueRequest"
       },
       "example": {
        "logicalKey": "welcome:ann@example.com",
        "payload": {
         "type": "message",
         "recipient": "ann@example.com",
         "subject": "Welcome",
         "text": "Good to have you here."
        }
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "It was there; this is what is stored.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CreatedJob"
        },
        "example": {
         "created": false,
         "job": {
          "logicalKey": "welcome:ann@example.com",
          "type": "message",
          "state": "pending",
          "recipient": "ann@example.com",
          "subject": "Welcome",
          "text": "Good to have you here.",
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:00.000Z",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null
         }
        }
       }
      }
     },
     "201": {
      "description": "It was made by this call.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CreatedJob"
        },
        "example": {
         "created": true,
         "job": {
          "logicalKey": "welcome:ann@example.com",
          "type": "message",
          "state": "pending",
          "recipient": "ann@example.com",
          "subject": "Welcome",
          "text": "Good to have you here.",
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:00.000Z",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.record_too_large.job_payload_conflict"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   },
   "get": {
    "operationId": "listEmails",
    "tags": [
     "Emails"
    ],
    "summary": "A page of jobs",
    "description": "Within a page by creation time, then id; the pages follow each other in the storage's order. What was there throughout a walk is met exactly once.\n\nNeeds a key with the scope `emails:read`.",
    "x-scope": "emails:read",
    "security": [
     {
      "bearer": [
       "emails:read"
      ]
     }
    ],
    "parameters": [
     {
      "name": "state",
      "in": "query",
      "required": false,
      "description": "Only jobs in it.",
      "schema": {
       "type": "string",
       "enum": [
        "pending",
        "awaiting_ai",
        "ai_dispatched",
        "ready",
        "sending",
        "sent",
        "cancelled",
        "failed"
       ]
      }
     },
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "description": "Jobs at most, 1 to 100; default 50.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 100
      }
     },
     {
      "name": "cursor",
      "in": "query",
      "required": false,
      "description": "The `nextCursor` of the page before; none for the first.",
      "schema": {
       "pattern": "^[A-Za-z0-9_-]+$",
       "type": "string",
       "maxLength": 4096
      }
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/JobPage"
        },
        "example": {
         "jobs": [
          {
           "logicalKey": "welcome:ann@example.com",
           "type": "message",
           "state": "pending",
           "recipient": "ann@example.com",
           "subject": "Welcome",
           "text": "Good to have you here.",
           "attempts": 0,
           "createdAt": "2026-01-31T09:00:00.000Z",
           "updatedAt": "2026-01-31T09:00:00.000Z",
           "lastError": null,
           "leaseUntil": null,
           "leaseToken": null
          }
         ],
         "nextCursor": "M2YyYTljMWI3ZDVlZW1haWxzL2pvYnMvOWY4NmQwODE4ODRjN2Q2NQ",
         "corrupt": []
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/email-batches": {
   "post": {
    "operationId": "enqueueEmails",
    "tags": [
     "Emails"
    ],
    "summary": "Create up to 100 jobs",
    "description": "Each item has the verdict that it would have alone; one's failure stops no other. The same key twice: the second is `created: false`.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 4,194,304 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "jobs": {
          "minItems": 1,
          "maxItems": 100,
          "type": "array",
          "items": {
           "$ref": "#/components/schemas/EnqueueRequest"
          },
          "description": "Judged one by one: a bad item has its own `problem`, the others are made."
         }
        },
        "required": [
         "jobs"
        ],
        "additionalProperties": false
       },
       "example": {
        "jobs": [
         {
          "logicalKey": "welcome:ann@example.com",
          "payload": {
           "type": "message",
           "recipient": "ann@example.com",
           "subject": "Welcome",
           "text": "Good to have you here."
          }
         }
        ]
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/BatchAnswer"
        },
        "example": {
         "results": [
          {
           "created": true,
           "job": {
            "logicalKey": "welcome:ann@example.com",
            "type": "message",
            "state": "pending",
            "recipient": "ann@example.com",
            "subject": "Welcome",
            "text": "Good to have you here.",
            "attempts": 0,
            "createdAt": "2026-01-31T09:00:00.000Z",
            "updatedAt": "2026-01-31T09:00:00.000Z",
            "lastError": null,
            "leaseUntil": null,
            "leaseToken": null
           }
          },
          {
           "problem": {
            "type": "/docs#invalid_request",
            "title": "The request is not valid",
            "status": 422,
            "detail": "something in the request is not valid",
            "instance": "/v1/email-batches",
            "code": "invalid_request",
            "errors": [
             {
              "path": "payload.subject",
              "message": "must be one line"
             }
            ]
           }
          }
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/first-imports": {
   "post": {
    "operationId": "enqueueFirstImport",
    "tags": [
     "Emails"
    ],
    "summary": "Create a recipient's first-import job, or turn it to another recording",
    "description": "One job a recipient. While it can still change it is turned to the recording that came last, also after it was cancelled; then, and for a repeat, 200.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "recipient": {
          "description": "An email address; trimmed and lower-cased. One job a recipient.",
          "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
          "maxLength": 320,
          "type": "string"
         },
         "recordingId": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1024,
          "description": "The recording that the email is to be about.",
          "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
         },
         "requestedBy": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1024,
          "description": "Who asked for it.",
          "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
         }
        },
        "required": [
         "recipient",
         "recordingId",
         "requestedBy"
        ],
        "additionalProperties": false
       },
       "example": {
        "recipient": "ann@example.com",
        "recordingId": "rec-1",
        "requestedBy": "bob@example.com"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "It was there; this is what is stored.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CreatedJob"
        },
        "example": {
         "created": false,
         "job": {
          "logicalKey": "first-import:ann@example.com",
          "type": "first-import",
          "state": "pending",
          "recipient": "ann@example.com",
          "recordingIds": [
           "rec-1"
          ],
          "requestedBy": "bob@example.com",
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:00.000Z",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null
         }
        }
       }
      }
     },
     "201": {
      "description": "It was made by this call.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CreatedJob"
        },
        "example": {
         "created": true,
         "job": {
          "logicalKey": "first-import:ann@example.com",
          "type": "first-import",
          "state": "pending",
          "recipient": "ann@example.com",
          "recordingIds": [
           "rec-1"
          ],
          "requestedBy": "bob@example.com",
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:00.000Z",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "get": {
    "operationId": "readEmail",
    "tags": [
     "Emails"
    ],
    "summary": "One job",
    "description": "Its state, its content and its stamps.\n\nNeeds a key with the scope `emails:read`.",
    "x-scope": "emails:read",
    "security": [
     {
      "bearer": [
       "emails:read"
      ]
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/FoundJob"
        },
        "example": {
         "job": {
          "logicalKey": "welcome:ann@example.com",
          "type": "message",
          "state": "pending",
          "recipient": "ann@example.com",
          "subject": "Welcome",
          "text": "Good to have you here.",
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:00.000Z",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null
         },
         "dueAt": "2026-01-31T09:00:00.000Z"
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}/transitions": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "post": {
    "operationId": "transitionEmail",
    "tags": [
     "Emails"
    ],
    "summary": "Move a job that nobody has leased",
    "description": "A job in none of the states of `from` is refused with its state, so a repeat of a move that was made tells so. A leased one moves by a settlement only.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "from": {
          "minItems": 1,
          "maxItems": 8,
          "type": "array",
          "items": {
           "type": "string",
           "enum": [
            "pending",
            "awaiting_ai",
            "ai_dispatched",
            "ready",
            "sending",
            "sent",
            "cancelled",
            "failed"
           ]
          },
          "description": "The states from which the move is meant."
         },
         "to": {
          "type": "string",
          "enum": [
           "pending",
           "awaiting_ai",
           "ai_dispatched",
           "ready",
           "sending",
           "sent",
           "cancelled",
           "failed"
          ],
          "description": "Where to; `sending` is reached by a lease only."
         },
         "generatedSummary": {
          "description": "The text of a kind that waits for one.",
          "type": "string",
          "maxLength": 20000
         },
         "lastError": {
          "description": "Why; null removes the one before, leaving it out keeps it.",
          "anyOf": [
           {
            "type": "string",
            "maxLength": 4000
           },
           {
            "type": "null"
           }
          ]
         }
        },
        "required": [
         "from",
         "to"
        ],
        "additionalProperties": false
       },
       "example": {
        "from": [
         "pending"
        ],
        "to": "ready"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/JobAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "welcome:ann@example.com",
          "type": "message",
          "state": "ready",
          "recipient": "ann@example.com",
          "subject": "Welcome",
          "text": "Good to have you here.",
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:01.000Z",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null,
          "readyAt": "2026-01-31T09:00:01.000Z"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/state_mismatch.invalid_transition"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.record_too_large"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}/requeues": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "post": {
    "operationId": "requeueEmail",
    "tags": [
     "Emails"
    ],
    "summary": "Give a failed job a new life",
    "description": "It is pending again: its attempts, the stamps of its earlier life and its last settlement are forgotten, its lastError is kept. A repeat is refused by its state.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes. May be left out.",
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "additionalProperties": false,
        "description": "Nothing: an empty body is the same."
       },
       "example": {}
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/JobAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "welcome:ann@example.com",
          "type": "message",
          "state": "pending",
          "recipient": "ann@example.com",
          "subject": "Welcome",
          "text": "Good to have you here.",
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T10:00:00.000Z",
          "lastError": "550 no such mailbox",
          "leaseUntil": null,
          "leaseToken": null
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/state_mismatch"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}/leases": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "post": {
    "operationId": "leaseEmail",
    "tags": [
     "Emails"
    ],
    "summary": "Lease one job, due or not",
    "description": "`leaseToken` is minted for each acquisition and is the only credential. The same `requestId` while that lease stands gets the same lease.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "durationMs": {
          "type": "integer",
          "minimum": 1,
          "maximum": 86400000,
          "description": "Of the lease, from now, in milliseconds: 1 to 86,400,000."
         },
         "requestId": {
          "description": "The caller's own, unique per lease wanted: makes a repeat answer the same lease.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         }
        },
        "required": [
         "durationMs"
        ],
        "additionalProperties": false
       },
       "example": {
        "durationMs": 120000
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/JobAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "welcome:ann@example.com",
          "type": "message",
          "state": "sending",
          "recipient": "ann@example.com",
          "subject": "Welcome",
          "text": "Good to have you here.",
          "attempts": 1,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:02.000Z",
          "lastError": null,
          "leaseUntil": "2026-01-31T09:02:02.000Z",
          "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
          "readyAt": "2026-01-31T09:00:01.000Z",
          "sendingAt": "2026-01-31T09:00:02.000Z"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/not_leasable"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/email-leases": {
   "post": {
    "operationId": "leaseDueEmails",
    "tags": [
     "Emails"
    ],
    "summary": "Lease what is due, oldest first",
    "description": "Ready jobs that are due, and leased ones whose lease ran out. One that has used its attempts is failed instead. A lost answer costs its jobs one lease time.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "durationMs": {
          "type": "integer",
          "minimum": 1,
          "maximum": 86400000,
          "description": "Of the lease, from now, in milliseconds: 1 to 86,400,000."
         },
         "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100,
          "description": "How many at most."
         }
        },
        "required": [
         "durationMs",
         "limit"
        ],
        "additionalProperties": false
       },
       "example": {
        "durationMs": 120000,
        "limit": 10
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/LeasedJobs"
        },
        "example": {
         "jobs": [
          {
           "logicalKey": "welcome:ann@example.com",
           "type": "message",
           "state": "sending",
           "recipient": "ann@example.com",
           "subject": "Welcome",
           "text": "Good to have you here.",
           "attempts": 1,
           "createdAt": "2026-01-31T09:00:00.000Z",
           "updatedAt": "2026-01-31T09:00:02.000Z",
           "lastError": null,
           "leaseUntil": "2026-01-31T09:02:02.000Z",
           "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
           "readyAt": "2026-01-31T09:00:01.000Z",
           "sendingAt": "2026-01-31T09:00:02.000Z"
          }
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}/lease-extensions": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "post": {
    "operationId": "extendEmailLease",
    "tags": [
     "Emails"
    ],
    "summary": "Set the end of a lease",
    "description": "From now, also if that is earlier; also after it ran out while nobody took it.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the lease, as its acquisition answered it.",
          "pattern": "\\S"
         },
         "durationMs": {
          "type": "integer",
          "minimum": 1,
          "maximum": 86400000,
          "description": "Of the lease, from now, in milliseconds: 1 to 86,400,000."
         }
        },
        "required": [
         "leaseToken",
         "durationMs"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "durationMs": 120000
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/JobAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "welcome:ann@example.com",
          "type": "message",
          "state": "sending",
          "recipient": "ann@example.com",
          "subject": "Welcome",
          "text": "Good to have you here.",
          "attempts": 1,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:02.000Z",
          "lastError": null,
          "leaseUntil": "2026-01-31T09:02:02.000Z",
          "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
          "readyAt": "2026-01-31T09:00:01.000Z",
          "sendingAt": "2026-01-31T09:00:02.000Z"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}/settlements": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "post": {
    "operationId": "settleEmail",
    "tags": [
     "Emails"
    ],
    "summary": "End a lease: sent, to be tried again, cancelled or failed",
    "description": "The same settlement again, while no later one happened, is answered and not written.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the lease, as its acquisition answered it.",
          "pattern": "\\S"
         },
         "to": {
          "type": "string",
          "enum": [
           "sent",
           "ready",
           "cancelled",
           "failed"
          ],
          "description": "`ready`: due again after a back-off."
         },
         "lastError": {
          "description": "Why; null removes the one before, leaving it out keeps it.",
          "anyOf": [
           {
            "type": "string",
            "maxLength": 4000
           },
           {
            "type": "null"
           }
          ]
         }
        },
        "required": [
         "leaseToken",
         "to"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "to": "sent"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/JobAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "welcome:ann@example.com",
          "type": "message",
          "state": "sent",
          "recipient": "ann@example.com",
          "subject": "Welcome",
          "text": "Good to have you here.",
          "attempts": 1,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:03.000Z",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null,
          "readyAt": "2026-01-31T09:00:01.000Z",
          "sendingAt": "2026-01-31T09:00:02.000Z",
          "sentAt": "2026-01-31T09:00:03.000Z"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}/ai-claims": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "post": {
    "operationId": "claimEmail",
    "tags": [
     "Emails"
    ],
    "summary": "Claim a job that waits for its text",
    "description": "`claimToken` is minted for each claim. A lost answer leaves a claim that can be taken over when it is stale, also by its own claimant.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "claimant": {
          "description": "An email address; trimmed and lower-cased.",
          "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
          "maxLength": 320,
          "type": "string"
         }
        },
        "required": [
         "claimant"
        ],
        "additionalProperties": false
       },
       "example": {
        "claimant": "writer@example.com"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ClaimAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "two-clips:ann@example.com",
          "type": "two-clips",
          "state": "ai_dispatched",
          "recipient": "ann@example.com",
          "recordingIds": [
           "rec-1",
           "rec-2"
          ],
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:02.000Z",
          "aiDispatchedAt": "2026-01-31T09:00:02.000Z",
          "aiClaimedBy": "writer@example.com",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null
         },
         "claimToken": "6a3f8f0e-6c1c-4f7e-9a51-0d8f1f6f2f55"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/not_claimable"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}/ai-reclaims": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "post": {
    "operationId": "reclaimEmail",
    "tags": [
     "Emails"
    ],
    "summary": "Take over a claim that is stale",
    "description": "Only a claim older than `staleBefore`; its claimant may take it over, too. The token is a new one.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "claimant": {
          "description": "An email address; trimmed and lower-cased.",
          "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
          "maxLength": 320,
          "type": "string"
         },
         "staleBefore": {
          "type": "string",
          "format": "date-time",
          "pattern": "^(19[7-9]\\d|2[01]\\d\\d|22[0-7]\\d|228[0-5])-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$",
          "description": "Claims older than this may be taken over; 1970 to 2286."
         }
        },
        "required": [
         "claimant",
         "staleBefore"
        ],
        "additionalProperties": false
       },
       "example": {
        "claimant": "writer@example.com",
        "staleBefore": "2026-01-31T09:00:00.000Z"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ClaimAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "two-clips:ann@example.com",
          "type": "two-clips",
          "state": "ai_dispatched",
          "recipient": "ann@example.com",
          "recordingIds": [
           "rec-1",
           "rec-2"
          ],
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:02.000Z",
          "aiDispatchedAt": "2026-01-31T09:00:02.000Z",
          "aiClaimedBy": "writer@example.com",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null
         },
         "claimToken": "6a3f8f0e-6c1c-4f7e-9a51-0d8f1f6f2f55"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/not_claimable"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}/ai-completions": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "post": {
    "operationId": "completeEmailClaim",
    "tags": [
     "Emails"
    ],
    "summary": "Hand in the text of a claimed job",
    "description": "The job becomes ready. A repeat is refused by its state, `ready`.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "claimant": {
          "description": "An email address; trimmed and lower-cased.",
          "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
          "maxLength": 320,
          "type": "string"
         },
         "summary": {
          "type": "string",
          "maxLength": 20000,
          "description": "The text."
         },
         "claimToken": {
          "description": "Of the claim. Without it the claimant's address alone decides.",
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "pattern": "\\S"
         }
        },
        "required": [
         "claimant",
         "summary"
        ],
        "additionalProperties": false
       },
       "example": {
        "claimant": "writer@example.com",
        "summary": "Two clips about whales."
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/JobAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "two-clips:ann@example.com",
          "type": "two-clips",
          "state": "ready",
          "recipient": "ann@example.com",
          "recordingIds": [
           "rec-1",
           "rec-2"
          ],
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:04.000Z",
          "aiDispatchedAt": "2026-01-31T09:00:02.000Z",
          "aiClaimedBy": "writer@example.com",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null,
          "generatedSummary": "Two clips about whales.",
          "readyAt": "2026-01-31T09:00:04.000Z"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/claim_lost"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.record_too_large"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/emails/{k}/ai-releases": {
   "parameters": [
    {
     "name": "k",
     "in": "path",
     "required": true,
     "description": "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
     "schema": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "example": "welcome:ann@example.com"
    }
   ],
   "post": {
    "operationId": "releaseEmailClaim",
    "tags": [
     "Emails"
    ],
    "summary": "Give a claim back",
    "description": "The job waits for its text again. A repeat is refused by its state, `awaiting_ai`.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "claimant": {
          "description": "An email address; trimmed and lower-cased.",
          "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
          "maxLength": 320,
          "type": "string"
         },
         "claimToken": {
          "description": "Of the claim. Without it the claimant's address alone decides.",
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "pattern": "\\S"
         }
        },
        "required": [
         "claimant"
        ],
        "additionalProperties": false
       },
       "example": {
        "claimant": "writer@example.com"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/JobAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "two-clips:ann@example.com",
          "type": "two-clips",
          "state": "awaiting_ai",
          "recipient": "ann@example.com",
          "recordingIds": [
           "rec-1",
           "rec-2"
          ],
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:04.000Z",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/claim_lost"
     },
     "410": {
      "$ref": "#/components/responses/job_expired.erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/email-ai-claims": {
   "post": {
    "operationId": "claimNextEmail",
    "tags": [
     "Emails"
    ],
    "summary": "Claim the job that has waited longest for its text",
    "description": "204 when no job waits. A lost answer leaves a claim that can be taken over when it is stale.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "claimant": {
          "description": "An email address; trimmed and lower-cased.",
          "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
          "maxLength": 320,
          "type": "string"
         }
        },
        "required": [
         "claimant"
        ],
        "additionalProperties": false
       },
       "example": {
        "claimant": "writer@example.com"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ClaimAnswer"
        },
        "example": {
         "job": {
          "logicalKey": "two-clips:ann@example.com",
          "type": "two-clips",
          "state": "ai_dispatched",
          "recipient": "ann@example.com",
          "recordingIds": [
           "rec-1",
           "rec-2"
          ],
          "attempts": 0,
          "createdAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:02.000Z",
          "aiDispatchedAt": "2026-01-31T09:00:02.000Z",
          "aiClaimedBy": "writer@example.com",
          "lastError": null,
          "leaseUntil": null,
          "leaseToken": null
         },
         "claimToken": "6a3f8f0e-6c1c-4f7e-9a51-0d8f1f6f2f55"
        }
       }
      }
     },
     "204": {
      "description": "There is nothing to answer with.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/email-config": {
   "get": {
    "operationId": "readEmailConfig",
    "tags": [
     "Email configuration"
    ],
    "summary": "Since when emails are made, and each scan's cursor",
    "description": "For the scans that find out which emails are to be made.\n\nNeeds a key with the scope `emails:read`.",
    "x-scope": "emails:read",
    "security": [
     {
      "bearer": [
       "emails:read"
      ]
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ConfigAnswer"
        },
        "example": {
         "config": {
          "enabledAt": "2026-01-31T09:00:00.000Z",
          "reminderCursor": {
           "createdAt": "2026-01-31T09:00:00.000Z",
           "id": "share-1"
          }
         }
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/config_not_found"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   },
   "put": {
    "operationId": "ensureEmailConfig",
    "tags": [
     "Email configuration"
    ],
    "summary": "Make the configuration unless it is there",
    "description": "The first call sets `enabledAt` to its own time; a repeat is answered with what is stored.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes. May be left out.",
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "additionalProperties": false,
        "description": "Nothing: an empty body is the same."
       },
       "example": {}
      }
     }
    },
    "responses": {
     "200": {
      "description": "It was there; this is what is stored.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ConfigAnswer"
        },
        "example": {
         "config": {
          "enabledAt": "2026-01-31T09:00:00.000Z",
          "reminderCursor": {
           "createdAt": "2026-01-31T09:00:00.000Z",
           "id": "share-1"
          }
         }
        }
       }
      }
     },
     "201": {
      "description": "It was made by this call.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ConfigAnswer"
        },
        "example": {
         "config": {
          "enabledAt": "2026-01-31T09:00:00.000Z",
          "reminderCursor": {
           "createdAt": "2026-01-31T09:00:00.000Z",
           "id": "share-1"
          }
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/email-config/cursors/{name}": {
   "parameters": [
    {
     "name": "name",
     "in": "path",
     "required": true,
     "description": "Which scan's cursor.",
     "schema": {
      "type": "string",
      "enum": [
       "shareDiscoveryCursor",
       "reminderCursor",
       "firstViewCursor",
       "firstImportCursor"
      ]
     },
     "example": "reminderCursor"
    }
   ],
   "put": {
    "operationId": "setEmailCursor",
    "tags": [
     "Email configuration"
    ],
    "summary": "Set one scan's cursor",
    "description": "A repeat sets the same again.\n\nNeeds a key with the scope `emails:write`.",
    "x-scope": "emails:write",
    "security": [
     {
      "bearer": [
       "emails:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "cursor": {
          "anyOf": [
           {
            "type": "object",
            "properties": {
             "createdAt": {
              "type": "string",
              "format": "date-time",
              "pattern": "^(19[7-9]\\d|2[01]\\d\\d|22[0-7]\\d|228[0-5])-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$"
             },
             "id": {
              "type": "string",
              "minLength": 1,
              "maxLength": 1024
             }
            },
            "required": [
             "createdAt",
             "id"
            ],
            "additionalProperties": false
           },
           {
            "type": "null"
           }
          ],
          "description": "The last row seen; null: begin again at `enabledAt`."
         }
        },
        "required": [
         "cursor"
        ],
        "additionalProperties": false
       },
       "example": {
        "cursor": {
         "createdAt": "2026-01-31T09:00:00.000Z",
         "id": "share-1"
        }
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ConfigAnswer"
        },
        "example": {
         "config": {
          "enabledAt": "2026-01-31T09:00:00.000Z",
          "reminderCursor": {
           "createdAt": "2026-01-31T09:00:00.000Z",
           "id": "share-1"
          }
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.config_not_found.cursor_not_found"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/receipts": {
   "post": {
    "operationId": "prepareReceipt",
    "tags": [
     "Receipts"
    ],
    "summary": "Bind an operation to its payload, once",
    "description": "The first call creates the receipt (201); every later one with the same payload is answered with the stored one (200), whatever its state. Prepare before the side effect; dispatch, run it, and tell its outcome.\n\nNeeds a key with the scope `receipts:write`.",
    "x-scope": "receipts:write",
    "security": [
     {
      "bearer": [
       "receipts:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "$ref": "#/components/schemas/PrepareRequest"
       },
       "example": {
        "workspaceId": "shop",
        "operationId": "charge-1001",
        "payload": {
         "amount": 4200
        }
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "It was there; this is what is stored.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/PreparedReceipt"
        },
        "example": {
         "created": true,
         "receipt": {
          "version": 1,
          "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "principalId": "default",
          "workspaceId": "shop",
          "sessionId": "default",
          "memberId": "default",
          "memberGeneration": 1,
          "tool": "custom",
          "action": "call",
          "operationId": "charge-1001",
          "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
          "state": "prepared",
          "createdAt": 1769850000000,
          "updatedAt": 1769850000000,
          "preparedAt": 1769850000000
         }
        }
       }
      }
     },
     "201": {
      "description": "It was made by this call.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/PreparedReceipt"
        },
        "example": {
         "created": true,
         "receipt": {
          "version": 1,
          "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "principalId": "default",
          "workspaceId": "shop",
          "sessionId": "default",
          "memberId": "default",
          "memberGeneration": 1,
          "tool": "custom",
          "action": "call",
          "operationId": "charge-1001",
          "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
          "state": "prepared",
          "createdAt": 1769850000000,
          "updatedAt": 1769850000000,
          "preparedAt": 1769850000000
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "410": {
      "$ref": "#/components/responses/operation_expired"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.operation_receipt_conflict"
     },
     "429": {
      "$ref": "#/components/responses/operation_receipt_capacity.throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   },
   "get": {
    "operationId": "listReceipts",
    "tags": [
     "Receipts"
    ],
    "summary": "A page of receipts",
    "description": "Within a page by creation time, then id; the pages follow each other in the storage's order. What was there throughout a walk is met exactly once.\n\nNeeds a key with the scope `receipts:read`.",
    "x-scope": "receipts:read",
    "security": [
     {
      "bearer": [
       "receipts:read"
      ]
     }
    ],
    "parameters": [
     {
      "name": "state",
      "in": "query",
      "required": false,
      "description": "Only receipts in it; `outcome-unknown` has the resolved ones, too.",
      "schema": {
       "type": "string",
       "enum": [
        "prepared",
        "dispatching",
        "accepted",
        "terminal",
        "outcome-unknown"
       ]
      }
     },
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "description": "Receipts at most, 1 to 128; default 64.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 128
      }
     },
     {
      "name": "cursor",
      "in": "query",
      "required": false,
      "description": "The `nextCursor` of the page before; none for the first.",
      "schema": {
       "pattern": "^[A-Za-z0-9_-]+$",
       "type": "string",
       "maxLength": 4096
      }
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ReceiptPage"
        },
        "example": {
         "receipts": [
          {
           "version": 1,
           "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
           "principalId": "default",
           "workspaceId": "shop",
           "sessionId": "default",
           "memberId": "default",
           "memberGeneration": 1,
           "tool": "custom",
           "action": "call",
           "operationId": "charge-1001",
           "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
           "state": "prepared",
           "createdAt": 1769850000000,
           "updatedAt": 1769850000000,
           "preparedAt": 1769850000000
          }
         ],
         "nextCursor": null,
         "corrupt": []
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/receipts/{id}": {
   "parameters": [
    {
     "name": "id",
     "in": "path",
     "required": true,
     "description": "A receipt's id: SHA-256 of its key, 64 lower-case hex digits.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9a-f]{64}$"
     },
     "example": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f"
    }
   ],
   "get": {
    "operationId": "readReceipt",
    "tags": [
     "Receipts"
    ],
    "summary": "One receipt, and what came too late for it",
    "description": "What is known of the operation; a person's resolution, where there is one.\n\nNeeds a key with the scope `receipts:read`.",
    "x-scope": "receipts:read",
    "security": [
     {
      "bearer": [
       "receipts:read"
      ]
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/NotedReceipt"
        },
        "example": {
         "receipt": {
          "version": 1,
          "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "principalId": "default",
          "workspaceId": "shop",
          "sessionId": "default",
          "memberId": "default",
          "memberGeneration": 1,
          "tool": "custom",
          "action": "call",
          "operationId": "charge-1001",
          "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
          "state": "outcome-unknown",
          "createdAt": 1769850000000,
          "updatedAt": 1769850060000,
          "preparedAt": 1769850000000,
          "dispatchingAt": 1769850001000,
          "outcomeUnknownAt": 1769850030000,
          "resolution": {
           "outcome": "did_not_happen",
           "resolvedAt": 1769850060000,
           "resolvedBy": "operator",
           "note": "the provider has no such charge"
          }
         },
         "notes": [
          {
           "at": 1769850120000,
           "kind": "contradiction",
           "result": {
            "chargeId": "ch_1"
           }
          }
         ]
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.receipt_not_found"
     },
     "410": {
      "$ref": "#/components/responses/operation_expired"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/receipts/{id}/dispatches": {
   "parameters": [
    {
     "name": "id",
     "in": "path",
     "required": true,
     "description": "A receipt's id: SHA-256 of its key, 64 lower-case hex digits.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9a-f]{64}$"
     },
     "example": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f"
    }
   ],
   "post": {
    "operationId": "dispatchReceipt",
    "tags": [
     "Receipts"
    ],
    "summary": "Take the right to run the side effect",
    "description": "`owned` tells the one caller that runs it. With a `dispatchToken` of its own, fresh for this call, a repeat is told the same; without one it is minted. Run it only before the lease is over.\n\nNeeds a key with the scope `receipts:write`.",
    "x-scope": "receipts:write",
    "security": [
     {
      "bearer": [
       "receipts:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes. May be left out.",
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "dispatchToken": {
          "description": "The caller's own, random and fresh, so that a repeat is known to be its owner's.",
          "type": "string",
          "minLength": 1,
          "maxLength": 256
         },
         "leaseMs": {
          "type": "integer",
          "minimum": 1,
          "maximum": 86400000,
          "description": "From now, in milliseconds: 1 to 86,400,000."
         }
        },
        "additionalProperties": false
       },
       "example": {
        "dispatchToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "leaseMs": 60000
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/DispatchAnswer"
        },
        "example": {
         "receipt": {
          "version": 1,
          "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "principalId": "default",
          "workspaceId": "shop",
          "sessionId": "default",
          "memberId": "default",
          "memberGeneration": 1,
          "tool": "custom",
          "action": "call",
          "operationId": "charge-1001",
          "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
          "state": "dispatching",
          "createdAt": 1769850000000,
          "updatedAt": 1769850001000,
          "preparedAt": 1769850000000,
          "dispatchingAt": 1769850001000
         },
         "owned": true,
         "dispatchToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.receipt_not_found"
     },
     "409": {
      "$ref": "#/components/responses/invalid_receipt_state"
     },
     "410": {
      "$ref": "#/components/responses/operation_expired"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/receipts/{id}/dispatch-renewals": {
   "parameters": [
    {
     "name": "id",
     "in": "path",
     "required": true,
     "description": "A receipt's id: SHA-256 of its key, 64 lower-case hex digits.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9a-f]{64}$"
     },
     "example": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f"
    }
   ],
   "post": {
    "operationId": "renewDispatch",
    "tags": [
     "Receipts"
    ],
    "summary": "Set the end of a dispatch's lease",
    "description": "From now, also if that is earlier; also after it ran out while nobody took it.\n\nNeeds a key with the scope `receipts:write`.",
    "x-scope": "receipts:write",
    "security": [
     {
      "bearer": [
       "receipts:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "dispatchToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the dispatch, as it was answered."
         },
         "leaseMs": {
          "type": "integer",
          "minimum": 1,
          "maximum": 86400000,
          "description": "From now, in milliseconds: 1 to 86,400,000."
         }
        },
        "required": [
         "dispatchToken",
         "leaseMs"
        ],
        "additionalProperties": false
       },
       "example": {
        "dispatchToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "leaseMs": 60000
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ReceiptAnswer"
        },
        "example": {
         "receipt": {
          "version": 1,
          "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "principalId": "default",
          "workspaceId": "shop",
          "sessionId": "default",
          "memberId": "default",
          "memberGeneration": 1,
          "tool": "custom",
          "action": "call",
          "operationId": "charge-1001",
          "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
          "state": "accepted",
          "createdAt": 1769850000000,
          "updatedAt": 1769850002000,
          "preparedAt": 1769850000000,
          "dispatchingAt": 1769850001000,
          "acceptedAt": 1769850002000,
          "result": {
           "chargeId": "ch_1"
          }
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.receipt_not_found"
     },
     "409": {
      "$ref": "#/components/responses/dispatch_lost"
     },
     "410": {
      "$ref": "#/components/responses/operation_expired"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/receipts/{id}/acceptances": {
   "parameters": [
    {
     "name": "id",
     "in": "path",
     "required": true,
     "description": "A receipt's id: SHA-256 of its key, 64 lower-case hex digits.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9a-f]{64}$"
     },
     "example": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f"
    }
   ],
   "post": {
    "operationId": "acceptReceipt",
    "tags": [
     "Receipts"
    ],
    "summary": "Tell what came of the side effect",
    "description": "By the owner of the dispatch, also while the outcome is unknown and nobody has resolved it. The same result again is answered and not written. After a resolution the report is kept as a note.\n\nNeeds a key with the scope `receipts:write`.",
    "x-scope": "receipts:write",
    "security": [
     {
      "bearer": [
       "receipts:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "result": {
          "description": "What came of it: a result of the receipt's tool and action."
         },
         "dispatchToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the dispatch, as it was answered."
         }
        },
        "required": [
         "result"
        ],
        "additionalProperties": false
       },
       "example": {
        "result": {
         "chargeId": "ch_1"
        },
        "dispatchToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ReceiptAnswer"
        },
        "example": {
         "receipt": {
          "version": 1,
          "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "principalId": "default",
          "workspaceId": "shop",
          "sessionId": "default",
          "memberId": "default",
          "memberGeneration": 1,
          "tool": "custom",
          "action": "call",
          "operationId": "charge-1001",
          "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
          "state": "accepted",
          "createdAt": 1769850000000,
          "updatedAt": 1769850002000,
          "preparedAt": 1769850000000,
          "dispatchingAt": 1769850001000,
          "acceptedAt": 1769850002000,
          "result": {
           "chargeId": "ch_1"
          }
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.receipt_not_found"
     },
     "409": {
      "$ref": "#/components/responses/invalid_receipt_state.dispatch_lost.already_resolved"
     },
     "410": {
      "$ref": "#/components/responses/operation_expired"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.operation_receipt_conflict"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/receipts/{id}/completions": {
   "parameters": [
    {
     "name": "id",
     "in": "path",
     "required": true,
     "description": "A receipt's id: SHA-256 of its key, 64 lower-case hex digits.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9a-f]{64}$"
     },
     "example": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f"
    }
   ],
   "post": {
    "operationId": "completeReceipt",
    "tags": [
     "Receipts"
    ],
    "summary": "Make an accepted receipt terminal",
    "description": "Its result stays; a repeat changes nothing.\n\nNeeds a key with the scope `receipts:write`.",
    "x-scope": "receipts:write",
    "security": [
     {
      "bearer": [
       "receipts:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes. May be left out.",
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "additionalProperties": false,
        "description": "Nothing: an empty body is the same."
       },
       "example": {}
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ReceiptAnswer"
        },
        "example": {
         "receipt": {
          "version": 1,
          "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "principalId": "default",
          "workspaceId": "shop",
          "sessionId": "default",
          "memberId": "default",
          "memberGeneration": 1,
          "tool": "custom",
          "action": "call",
          "operationId": "charge-1001",
          "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
          "state": "accepted",
          "createdAt": 1769850000000,
          "updatedAt": 1769850002000,
          "preparedAt": 1769850000000,
          "dispatchingAt": 1769850001000,
          "acceptedAt": 1769850002000,
          "result": {
           "chargeId": "ch_1"
          }
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.receipt_not_found"
     },
     "409": {
      "$ref": "#/components/responses/invalid_receipt_state"
     },
     "410": {
      "$ref": "#/components/responses/operation_expired"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/receipts/{id}/unknowns": {
   "parameters": [
    {
     "name": "id",
     "in": "path",
     "required": true,
     "description": "A receipt's id: SHA-256 of its key, 64 lower-case hex digits.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9a-f]{64}$"
     },
     "example": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f"
    }
   ],
   "post": {
    "operationId": "markReceiptUnknown",
    "tags": [
     "Receipts"
    ],
    "summary": "Say that nobody can tell what came of it",
    "description": "By the owner at once; by anybody else when the dispatch has lapsed.\n\nNeeds a key with the scope `receipts:write`.",
    "x-scope": "receipts:write",
    "security": [
     {
      "bearer": [
       "receipts:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes. May be left out.",
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "dispatchToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the dispatch, as it was answered."
         }
        },
        "additionalProperties": false
       },
       "example": {
        "dispatchToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ReceiptAnswer"
        },
        "example": {
         "receipt": {
          "version": 1,
          "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "principalId": "default",
          "workspaceId": "shop",
          "sessionId": "default",
          "memberId": "default",
          "memberGeneration": 1,
          "tool": "custom",
          "action": "call",
          "operationId": "charge-1001",
          "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
          "state": "accepted",
          "createdAt": 1769850000000,
          "updatedAt": 1769850002000,
          "preparedAt": 1769850000000,
          "dispatchingAt": 1769850001000,
          "acceptedAt": 1769850002000,
          "result": {
           "chargeId": "ch_1"
          }
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.receipt_not_found"
     },
     "409": {
      "$ref": "#/components/responses/invalid_receipt_state.dispatch_lost"
     },
     "410": {
      "$ref": "#/components/responses/operation_expired"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/receipts/{id}/resolutions": {
   "parameters": [
    {
     "name": "id",
     "in": "path",
     "required": true,
     "description": "A receipt's id: SHA-256 of its key, 64 lower-case hex digits.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9a-f]{64}$"
     },
     "example": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f"
    }
   ],
   "post": {
    "operationId": "resolveReceipt",
    "tags": [
     "Receipts"
    ],
    "summary": "A person's answer to an unknown outcome",
    "description": "The first answer stands for ever; the same again, by whatever key, is answered as before. `did_not_happen` does not reopen the operation: its caller takes a new id. The state stays `outcome-unknown`, with the answer as `resolution`. A receipt that the `Idempotency-Key` middleware made has the tool `http`; its result is the response that its caller is sent from then on: `status`, `headers` (pairs of name and value) and `body` (`encoding`: `text` or `base64`, and `data`; or null: not kept).\n\nNeeds a key with the scope `receipts:write`.",
    "x-scope": "receipts:write",
    "security": [
     {
      "bearer": [
       "receipts:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "oneOf": [
         {
          "type": "object",
          "properties": {
           "outcome": {
            "type": "string",
            "const": "happened",
            "description": "What is said of the outcome; the first answer stands for ever."
           },
           "result": {
            "description": "What the operation resulted in, null too: a result of its tool and action."
           },
           "by": {
            "description": "Who says so, where a key is several people's: `resolvedBy` is then `<key id>/<by>`.",
            "type": "string",
            "minLength": 1,
            "maxLength": 192,
            "pattern": "^[^\\u0000]*$"
           },
           "note": {
            "description": "Why, for other people.",
            "type": "string",
            "maxLength": 1000,
            "pattern": "^[^\\u0000]*$"
           }
          },
          "required": [
           "outcome",
           "result"
          ],
          "additionalProperties": false
         },
         {
          "type": "object",
          "properties": {
           "outcome": {
            "type": "string",
            "enum": [
             "did_not_happen",
             "abandoned"
            ],
            "description": "What is said of the outcome; the first answer stands for ever."
           },
           "by": {
            "description": "Who says so, where a key is several people's: `resolvedBy` is then `<key id>/<by>`.",
            "type": "string",
            "minLength": 1,
            "maxLength": 192,
            "pattern": "^[^\\u0000]*$"
           },
           "note": {
            "description": "Why, for other people.",
            "type": "string",
            "maxLength": 1000,
            "pattern": "^[^\\u0000]*$"
           }
          },
          "required": [
           "outcome"
          ],
          "additionalProperties": false
         }
        ]
       },
       "example": {
        "outcome": "did_not_happen",
        "note": "the provider has no such charge"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ReceiptAnswer"
        },
        "example": {
         "receipt": {
          "version": 1,
          "id": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "principalId": "default",
          "workspaceId": "shop",
          "sessionId": "default",
          "memberId": "default",
          "memberGeneration": 1,
          "tool": "custom",
          "action": "call",
          "operationId": "charge-1001",
          "payloadHash": "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
          "state": "accepted",
          "createdAt": 1769850000000,
          "updatedAt": 1769850002000,
          "preparedAt": 1769850000000,
          "dispatchingAt": 1769850001000,
          "acceptedAt": 1769850002000,
          "result": {
           "chargeId": "ch_1"
          }
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.receipt_not_found"
     },
     "409": {
      "$ref": "#/components/responses/invalid_receipt_state.dispatch_live.already_resolved"
     },
     "410": {
      "$ref": "#/components/responses/operation_expired"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/receipt-recoveries": {
   "post": {
    "operationId": "recoverReceipts",
    "tags": [
     "Receipts"
    ],
    "summary": "Make lapsed dispatches unknown",
    "description": "One page of what is due; a live dispatch is never touched. Every pass does the same by itself.\n\nNeeds a key with the scope `ops`.",
    "x-scope": "ops",
    "security": [
     {
      "bearer": [
       "ops"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes. May be left out.",
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "cursor": {
          "description": "The `nextCursor` of the page before; none for the first.",
          "pattern": "^[A-Za-z0-9_-]+$",
          "type": "string",
          "maxLength": 4096
         },
         "limit": {
          "description": "Entries at most, 1 to 128; default 64.",
          "type": "integer",
          "minimum": 1,
          "maximum": 128
         }
        },
        "additionalProperties": false
       },
       "example": {
        "limit": 64
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RecoveryAnswer"
        },
        "example": {
         "recovered": 1,
         "scanned": 2,
         "nextCursor": null
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs": {
   "post": {
    "operationId": "submitQuery",
    "tags": [
     "Queries"
    ],
    "summary": "Ask something, once",
    "description": "Answered as soon as the request is stored: the first call makes the job; the same request again, also after its end, is answered with the stored one. One generation of a client job at a time.\n\nNeeds a key with the scope `queries:write`.",
    "x-scope": "queries:write",
    "security": [
     {
      "bearer": [
       "queries:write"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 2,097,152 bytes. May be left out.",
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "$ref": "#/components/schemas/QuerySubmission"
       },
       "example": {
        "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
        "generation": 1,
        "query": "Are whales fish?",
        "sessionId": "chat-42"
       }
      }
     }
    },
    "responses": {
     "202": {
      "description": "It is stored; who made it is told by `created`.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/SubmittedQuery"
        },
        "example": {
         "created": true,
         "job": {
          "schemaVersion": 1,
          "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
          "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
          "generation": 1,
          "turnId": "0f8fad5b-d9cb-469f-a165-70867728950e",
          "requestFingerprint": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "status": "accepted",
          "eventSeq": 1,
          "oldestEventSeq": 1,
          "sessionId": "chat-42",
          "attachments": [],
          "partialText": "",
          "partialTruncated": false,
          "activity": [],
          "acceptedAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:00.000Z",
          "retentionUntil": "2026-02-07T09:00:00.000Z"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/provider_orphan_fence.job_identity_conflict.job_generation_active.job_generation_out_of_order"
     },
     "410": {
      "$ref": "#/components/responses/erased"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_client_job_id.invalid_generation.invalid_query.query_too_large.query_or_attachment_required.invalid_session_id.invalid_model.invalid_effort.invalid_message_era.invalid_handoff_code.invalid_client_queue_item_id.invalid_global_msg_num.invalid_reference.invalid_reference_query.reference_query_too_large.invalid_reference_response.reference_response_too_large"
     },
     "429": {
      "$ref": "#/components/responses/job_history_full.throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   },
   "get": {
    "operationId": "listQueries",
    "tags": [
     "Queries"
    ],
    "summary": "A page of query jobs: the latest generation of each client job",
    "description": "Within a page by admission time, then id; the pages follow each other in the storage's order, and with `?status=accepted`, which is how a runner finds work, the longest waiting first.\n\nNeeds a key with the scope `queries:read`.",
    "x-scope": "queries:read",
    "security": [
     {
      "bearer": [
       "queries:read"
      ]
     }
    ],
    "parameters": [
     {
      "name": "status",
      "in": "query",
      "required": false,
      "description": "Only jobs in it.",
      "schema": {
       "type": "string",
       "enum": [
        "accepted",
        "starting",
        "running",
        "answer_ready",
        "completed",
        "failed",
        "canceled",
        "interrupted"
       ]
      }
     },
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "description": "Jobs at most, 1 to 100; default 50.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 100
      }
     },
     {
      "name": "cursor",
      "in": "query",
      "required": false,
      "description": "The `nextCursor` of the page before; none for the first.",
      "schema": {
       "pattern": "^[A-Za-z0-9_-]+$",
       "type": "string",
       "maxLength": 4096
      }
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/QueryPage"
        },
        "example": {
         "jobs": [
          {
           "schemaVersion": 1,
           "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
           "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
           "generation": 1,
           "turnId": "0f8fad5b-d9cb-469f-a165-70867728950e",
           "requestFingerprint": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
           "status": "accepted",
           "eventSeq": 1,
           "oldestEventSeq": 1,
           "sessionId": "chat-42",
           "attachments": [],
           "partialText": "",
           "partialTruncated": false,
           "activity": [],
           "acceptedAt": "2026-01-31T09:00:00.000Z",
           "updatedAt": "2026-01-31T09:00:00.000Z",
           "retentionUntil": "2026-02-07T09:00:00.000Z"
          }
         ],
         "nextCursor": null,
         "corrupt": []
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/by-client/{clientJobId}": {
   "parameters": [
    {
     "name": "clientJobId",
     "in": "path",
     "required": true,
     "description": "The id that the client took for its job: a UUID of version 4, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f"
    }
   ],
   "get": {
    "operationId": "findQuery",
    "tags": [
     "Queries"
    ],
    "summary": "The job of a client job id and generation",
    "description": "For whoever lost the answer to a submission.\n\nNeeds a key with the scope `queries:read`.",
    "x-scope": "queries:read",
    "security": [
     {
      "bearer": [
       "queries:read"
      ]
     }
    ],
    "parameters": [
     {
      "name": "generation",
      "in": "query",
      "required": true,
      "description": "Of the job that is meant.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 9007199254740991
      },
      "example": 1
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/QueryAnswer"
        },
        "example": {
         "job": {
          "schemaVersion": 1,
          "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
          "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
          "generation": 1,
          "turnId": "0f8fad5b-d9cb-469f-a165-70867728950e",
          "requestFingerprint": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "status": "completed",
          "eventSeq": 5,
          "oldestEventSeq": 1,
          "sessionId": "chat-42",
          "attachments": [],
          "partialText": "Whales are mammals.",
          "partialTruncated": false,
          "activity": [],
          "acceptedAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:05.000Z",
          "retentionUntil": "2026-02-07T09:00:00.000Z",
          "response": "Whales are mammals.",
          "responseTruncated": false,
          "startedAt": "2026-01-31T09:00:02.000Z",
          "completedAt": "2026-01-31T09:00:05.000Z",
          "provider": "claude"
         }
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "410": {
      "$ref": "#/components/responses/erased"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_generation"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "get": {
    "operationId": "readQuery",
    "tags": [
     "Queries"
    ],
    "summary": "One query job",
    "description": "With its answer so far. It never holds what was asked.\n\nNeeds a key with the scope `queries:read`.",
    "x-scope": "queries:read",
    "security": [
     {
      "bearer": [
       "queries:read"
      ]
     },
     {
      "ticket": []
     }
    ],
    "parameters": [
     {
      "name": "generation",
      "in": "query",
      "required": true,
      "description": "Of the job that is meant.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 9007199254740991
      },
      "example": 1
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/QueryAnswer"
        },
        "example": {
         "job": {
          "schemaVersion": 1,
          "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
          "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
          "generation": 1,
          "turnId": "0f8fad5b-d9cb-469f-a165-70867728950e",
          "requestFingerprint": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "status": "completed",
          "eventSeq": 5,
          "oldestEventSeq": 1,
          "sessionId": "chat-42",
          "attachments": [],
          "partialText": "Whales are mammals.",
          "partialTruncated": false,
          "activity": [],
          "acceptedAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:05.000Z",
          "retentionUntil": "2026-02-07T09:00:00.000Z",
          "response": "Whales are mammals.",
          "responseTruncated": false,
          "startedAt": "2026-01-31T09:00:02.000Z",
          "completedAt": "2026-01-31T09:00:05.000Z",
          "provider": "claude"
         }
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/query_job_generation_mismatch"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_generation"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/cancel": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "cancelQuery",
    "tags": [
     "Queries"
    ],
    "summary": "Give a query up",
    "description": "Of a job that has ended it changes nothing: `applied: false`.\n\nNeeds a key with the scope `queries:write`.",
    "x-scope": "queries:write",
    "security": [
     {
      "bearer": [
       "queries:write"
      ]
     },
     {
      "ticket": []
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "generation": {
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991,
          "description": "Of the job that is meant."
         }
        },
        "required": [
         "generation"
        ],
        "additionalProperties": false
       },
       "example": {
        "generation": 1
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ChangedQuery"
        },
        "example": {
         "applied": true,
         "job": {
          "schemaVersion": 1,
          "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
          "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
          "generation": 1,
          "turnId": "0f8fad5b-d9cb-469f-a165-70867728950e",
          "requestFingerprint": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "status": "canceled",
          "eventSeq": 2,
          "oldestEventSeq": 1,
          "sessionId": "chat-42",
          "attachments": [],
          "partialText": "",
          "partialTruncated": false,
          "activity": [],
          "acceptedAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:01.000Z",
          "retentionUntil": "2026-02-07T09:00:00.000Z",
          "error": {
           "code": "canceled",
           "message": "The query was canceled."
          },
          "completedAt": "2026-01-31T09:00:01.000Z"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/query_job_generation_mismatch.query_job_answer_committing"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_generation"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/ack": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "acknowledgeQuery",
    "tags": [
     "Queries"
    ],
    "summary": "Tell that its reader has the end",
    "description": "Noted once; a repeat changes nothing: `applied: false`.\n\nNeeds a key with the scope `queries:write`.",
    "x-scope": "queries:write",
    "security": [
     {
      "bearer": [
       "queries:write"
      ]
     },
     {
      "ticket": []
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "generation": {
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991,
          "description": "Of the job that is meant."
         }
        },
        "required": [
         "generation"
        ],
        "additionalProperties": false
       },
       "example": {
        "generation": 1
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ChangedQuery"
        },
        "example": {
         "applied": true,
         "job": {
          "schemaVersion": 1,
          "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
          "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
          "generation": 1,
          "turnId": "0f8fad5b-d9cb-469f-a165-70867728950e",
          "requestFingerprint": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "status": "completed",
          "eventSeq": 6,
          "oldestEventSeq": 1,
          "sessionId": "chat-42",
          "attachments": [],
          "partialText": "Whales are mammals.",
          "partialTruncated": false,
          "activity": [],
          "acceptedAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:06.000Z",
          "retentionUntil": "2026-02-07T09:00:00.000Z",
          "response": "Whales are mammals.",
          "responseTruncated": false,
          "startedAt": "2026-01-31T09:00:02.000Z",
          "completedAt": "2026-01-31T09:00:05.000Z",
          "provider": "claude",
          "acknowledgedAt": "2026-01-31T09:00:06.000Z"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/query_job_generation_mismatch.query_job_not_terminal"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_generation"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/runs": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "startQuery",
    "tags": [
     "Queries"
    ],
    "summary": "Take the run of an accepted job",
    "description": "One caller gets it, with the request and the `leaseToken` that every further call brings. With a `leaseToken` of its own, fresh for this call, a repeat gets the same run. A job that is not accepted any more is answered with `applied: false`.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "generation": {
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991,
          "description": "Of the job that is meant."
         },
         "leaseMs": {
          "description": "From now, in milliseconds: 1 to 86,400,000; the service's own (60,000) without it.",
          "type": "integer",
          "minimum": 1,
          "maximum": 86400000
         },
         "leaseToken": {
          "description": "The caller's own, random and fresh, so that a repeat gets the same run.",
          "type": "string",
          "minLength": 1,
          "maxLength": 256
         }
        },
        "required": [
         "generation"
        ],
        "additionalProperties": false
       },
       "example": {
        "generation": 1,
        "leaseMs": 60000,
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/StartedRun"
        },
        "example": {
         "applied": true,
         "job": {
          "schemaVersion": 1,
          "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
          "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
          "generation": 1,
          "turnId": "0f8fad5b-d9cb-469f-a165-70867728950e",
          "requestFingerprint": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "status": "starting",
          "eventSeq": 2,
          "oldestEventSeq": 1,
          "sessionId": "chat-42",
          "attachments": [],
          "partialText": "",
          "partialTruncated": false,
          "activity": [],
          "acceptedAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:01.000Z",
          "retentionUntil": "2026-02-07T09:00:00.000Z"
         },
         "request": {
          "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
          "generation": 1,
          "query": "Are whales fish?",
          "sessionId": "chat-42",
          "attachmentIds": [],
          "attachmentRefs": [],
          "activityToolMode": "status"
         },
         "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
         "position": "2-2"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/query_job_generation_mismatch.provider_orphan_fence"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_generation"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/heartbeats": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "heartbeatQuery",
    "tags": [
     "Queries"
    ],
    "summary": "Keep the run",
    "description": "Sets the end of its lease, also if that is earlier; also after it ran out while nobody ended the run. Whatever else the run tells keeps it, too.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "parameters": [
     {
      "name": "job",
      "in": "query",
      "required": false,
      "description": "`full`: the answer has the job, too.",
      "schema": {
       "type": "string",
       "enum": [
        "full"
       ]
      }
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the run, as its start answered it."
         },
         "requestId": {
          "description": "The caller's own, unique for each call: makes a repeat of it write nothing more.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         },
         "position": {
          "description": "Of this run's last answer; the same again with a repeat.",
          "pattern": "^[0-9]+-[0-9]+$",
          "type": "string"
         },
         "leaseMs": {
          "description": "From now, in milliseconds: 1 to 86,400,000; the service's own (60,000) without it.",
          "type": "integer",
          "minimum": 1,
          "maximum": 86400000
         }
        },
        "required": [
         "leaseToken"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "leaseMs": 60000
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RunAnswer"
        },
        "example": {
         "applied": true,
         "eventSeq": 3,
         "status": "running",
         "position": "3-3"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_event_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/running": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "markQueryRunning",
    "tags": [
     "Queries"
    ],
    "summary": "Tell that the provider is at work",
    "description": "From `starting`; sets `startedAt`.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "parameters": [
     {
      "name": "job",
      "in": "query",
      "required": false,
      "description": "`full`: the answer has the job, too.",
      "schema": {
       "type": "string",
       "enum": [
        "full"
       ]
      }
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the run, as its start answered it."
         },
         "requestId": {
          "description": "The caller's own, unique for each call: makes a repeat of it write nothing more.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         },
         "position": {
          "description": "Of this run's last answer; the same again with a repeat.",
          "pattern": "^[0-9]+-[0-9]+$",
          "type": "string"
         },
         "linkage": {
          "type": "object",
          "properties": {
           "provider": {
            "description": "`claude` or `codex`; any other is left out.",
            "type": "string"
           },
           "resolvedModel": {
            "description": "Cut to 64 characters.",
            "type": "string"
           },
           "cliSessionId": {
            "description": "Cut to 256 characters, as those below.",
            "type": "string"
           },
           "claudeRunId": {
            "description": "As its provider says.",
            "type": "string"
           },
           "codexRunId": {
            "description": "As its provider says.",
            "type": "string"
           },
           "codexThreadId": {
            "description": "As its provider says.",
            "type": "string"
           }
          },
          "additionalProperties": false,
          "description": "Which run of which provider it is: credentials and paths are taken out."
         }
        },
        "required": [
         "leaseToken",
         "linkage"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "requestId": "call-7",
        "position": "3-3",
        "linkage": {
         "provider": "claude"
        }
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RunAnswer"
        },
        "example": {
         "applied": true,
         "eventSeq": 4,
         "status": "running",
         "position": "4-4"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_event_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/linkage": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "linkQuery",
    "tags": [
     "Queries"
    ],
    "summary": "Confirm that the provider is this run's",
    "description": "Before the provider gets the prompt: from then on an interrupted run holds its session, since the provider may still be at work. `applied: false`: do not send the prompt.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "parameters": [
     {
      "name": "job",
      "in": "query",
      "required": false,
      "description": "`full`: the answer has the job, too.",
      "schema": {
       "type": "string",
       "enum": [
        "full"
       ]
      }
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the run, as its start answered it."
         },
         "requestId": {
          "description": "The caller's own, unique for each call: makes a repeat of it write nothing more.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         },
         "position": {
          "description": "Of this run's last answer; the same again with a repeat.",
          "pattern": "^[0-9]+-[0-9]+$",
          "type": "string"
         },
         "linkage": {
          "type": "object",
          "properties": {
           "provider": {
            "description": "`claude` or `codex`; any other is left out.",
            "type": "string"
           },
           "resolvedModel": {
            "description": "Cut to 64 characters.",
            "type": "string"
           },
           "cliSessionId": {
            "description": "Cut to 256 characters, as those below.",
            "type": "string"
           },
           "claudeRunId": {
            "description": "As its provider says.",
            "type": "string"
           },
           "codexRunId": {
            "description": "As its provider says.",
            "type": "string"
           },
           "codexThreadId": {
            "description": "As its provider says.",
            "type": "string"
           }
          },
          "additionalProperties": false,
          "description": "Which run of which provider it is: credentials and paths are taken out."
         }
        },
        "required": [
         "leaseToken",
         "linkage"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "requestId": "call-7",
        "position": "3-3",
        "linkage": {
         "provider": "claude",
         "claudeRunId": "run-1"
        }
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RunAnswer"
        },
        "example": {
         "applied": true,
         "eventSeq": 4,
         "status": "running",
         "position": "4-4"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_event_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/chunks": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "appendQueryChunk",
    "tags": [
     "Queries"
    ],
    "summary": "More of the answer",
    "description": "The deltas add up to the answer, in the order in which they are written. What is over 128,000 characters together is cut, and flagged.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "parameters": [
     {
      "name": "job",
      "in": "query",
      "required": false,
      "description": "`full`: the answer has the job, too.",
      "schema": {
       "type": "string",
       "enum": [
        "full"
       ]
      }
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the run, as its start answered it."
         },
         "requestId": {
          "description": "The caller's own, unique for each call: makes a repeat of it write nothing more.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         },
         "position": {
          "description": "Of this run's last answer; the same again with a repeat.",
          "pattern": "^[0-9]+-[0-9]+$",
          "type": "string"
         },
         "delta": {
          "type": "string",
          "description": "More of the answer. Half a surrogate pair at its end is joined with the next.",
          "maxLength": 16000
         }
        },
        "required": [
         "leaseToken",
         "delta"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "requestId": "call-7",
        "position": "3-3",
        "delta": "Whales are "
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RunAnswer"
        },
        "example": {
         "applied": true,
         "eventSeq": 4,
         "status": "running",
         "position": "4-4"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_event_cursor.delta_too_large"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/activity": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "appendQueryActivity",
    "tags": [
     "Queries"
    ],
    "summary": "What the run is doing",
    "description": "The same again counts up what stands there.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "parameters": [
     {
      "name": "job",
      "in": "query",
      "required": false,
      "description": "`full`: the answer has the job, too.",
      "schema": {
       "type": "string",
       "enum": [
        "full"
       ]
      }
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the run, as its start answered it."
         },
         "requestId": {
          "description": "The caller's own, unique for each call: makes a repeat of it write nothing more.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         },
         "position": {
          "description": "Of this run's last answer; the same again with a repeat.",
          "pattern": "^[0-9]+-[0-9]+$",
          "type": "string"
         },
         "kind": {
          "type": "string",
          "enum": [
           "status",
           "input",
           "output",
           "gap"
          ],
          "description": "`status` of the run; `input`, `output` and `gap` of its tools."
         },
         "text": {
          "type": "string",
          "maxLength": 1048576,
          "description": "Shown without credentials and paths, cut to 2,000 characters."
         }
        },
        "required": [
         "leaseToken",
         "kind",
         "text"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "requestId": "call-7",
        "position": "3-3",
        "kind": "status",
        "text": "Reading three sources"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RunAnswer"
        },
        "example": {
         "applied": true,
         "eventSeq": 4,
         "status": "running",
         "position": "4-4"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_event_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/answer-ready": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "commitQueryAnswer",
    "tags": [
     "Queries"
    ],
    "summary": "Commit the answer",
    "description": "From then on the job can only complete, whoever dies.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "parameters": [
     {
      "name": "job",
      "in": "query",
      "required": false,
      "description": "`full`: the answer has the job, too.",
      "schema": {
       "type": "string",
       "enum": [
        "full"
       ]
      }
     }
    ],
    "requestBody": {
     "description": "At most 2,097,152 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the run, as its start answered it."
         },
         "requestId": {
          "description": "The caller's own, unique for each call: makes a repeat of it write nothing more.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         },
         "position": {
          "description": "Of this run's last answer; the same again with a repeat.",
          "pattern": "^[0-9]+-[0-9]+$",
          "type": "string"
         },
         "text": {
          "type": "string",
          "maxLength": 1048576,
          "description": "The whole answer; what is over 128,000 characters is cut, and flagged."
         },
         "linkage": {
          "type": "object",
          "properties": {
           "provider": {
            "description": "`claude` or `codex`; any other is left out.",
            "type": "string"
           },
           "resolvedModel": {
            "description": "Cut to 64 characters.",
            "type": "string"
           },
           "cliSessionId": {
            "description": "Cut to 256 characters, as those below.",
            "type": "string"
           },
           "claudeRunId": {
            "description": "As its provider says.",
            "type": "string"
           },
           "codexRunId": {
            "description": "As its provider says.",
            "type": "string"
           },
           "codexThreadId": {
            "description": "As its provider says.",
            "type": "string"
           }
          },
          "additionalProperties": false,
          "description": "Which run of which provider it is: credentials and paths are taken out."
         }
        },
        "required": [
         "leaseToken",
         "text"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "requestId": "call-7",
        "position": "3-3",
        "text": "Whales are mammals."
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RunAnswer"
        },
        "example": {
         "applied": true,
         "eventSeq": 4,
         "status": "answer_ready",
         "position": "4-4"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_event_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/complete": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "completeQuery",
    "tags": [
     "Queries"
    ],
    "summary": "End the run with its answer",
    "description": "Commits the answer, where that was not done before.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "parameters": [
     {
      "name": "job",
      "in": "query",
      "required": false,
      "description": "`full`: the answer has the job, too.",
      "schema": {
       "type": "string",
       "enum": [
        "full"
       ]
      }
     }
    ],
    "requestBody": {
     "description": "At most 2,097,152 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the run, as its start answered it."
         },
         "requestId": {
          "description": "The caller's own, unique for each call: makes a repeat of it write nothing more.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         },
         "position": {
          "description": "Of this run's last answer; the same again with a repeat.",
          "pattern": "^[0-9]+-[0-9]+$",
          "type": "string"
         },
         "text": {
          "type": "string",
          "maxLength": 1048576,
          "description": "The whole answer; what is over 128,000 characters is cut, and flagged."
         },
         "attachments": {
          "description": "Pictures of the answer, behind those of the request; five together.",
          "type": "array",
          "items": {
           "description": "A QueryAttachment; what is none is left out."
          }
         },
         "outputImageStats": {
          "description": "Left out where the numbers do not fit each other.",
          "type": "object",
          "properties": {
           "published": {
            "type": "number",
            "description": "0 to 1,000."
           },
           "attached": {
            "type": "number",
            "description": "Of the published ones."
           },
           "rejected": {
            "type": "number",
            "description": "Of the published ones."
           }
          },
          "required": [
           "published",
           "attached",
           "rejected"
          ],
          "additionalProperties": false
         },
         "linkage": {
          "type": "object",
          "properties": {
           "provider": {
            "description": "`claude` or `codex`; any other is left out.",
            "type": "string"
           },
           "resolvedModel": {
            "description": "Cut to 64 characters.",
            "type": "string"
           },
           "cliSessionId": {
            "description": "Cut to 256 characters, as those below.",
            "type": "string"
           },
           "claudeRunId": {
            "description": "As its provider says.",
            "type": "string"
           },
           "codexRunId": {
            "description": "As its provider says.",
            "type": "string"
           },
           "codexThreadId": {
            "description": "As its provider says.",
            "type": "string"
           }
          },
          "additionalProperties": false,
          "description": "Which run of which provider it is: credentials and paths are taken out."
         }
        },
        "required": [
         "leaseToken",
         "text"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "requestId": "call-7",
        "position": "3-3",
        "text": "Whales are mammals."
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RunAnswer"
        },
        "example": {
         "applied": true,
         "eventSeq": 5,
         "status": "completed",
         "position": "5-5"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_event_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/fail": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "failQuery",
    "tags": [
     "Queries"
    ],
    "summary": "End the run without an answer",
    "description": "Of a job whose answer is committed it completes that.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "parameters": [
     {
      "name": "job",
      "in": "query",
      "required": false,
      "description": "`full`: the answer has the job, too.",
      "schema": {
       "type": "string",
       "enum": [
        "full"
       ]
      }
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the run, as its start answered it."
         },
         "requestId": {
          "description": "The caller's own, unique for each call: makes a repeat of it write nothing more.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         },
         "position": {
          "description": "Of this run's last answer; the same again with a repeat.",
          "pattern": "^[0-9]+-[0-9]+$",
          "type": "string"
         },
         "error": {
          "type": "object",
          "properties": {
           "code": {
            "description": "1 to 80 letters, digits and _.-; otherwise `provider_failed`.",
            "type": "string"
           },
           "message": {
            "description": "Shown without credentials and paths.",
            "type": "string"
           },
           "retryable": {
            "description": "Whether another generation may do better.",
            "type": "boolean"
           },
           "retryAfterMs": {
            "description": "After how long.",
            "type": "number"
           }
          },
          "additionalProperties": false,
          "description": "What went wrong."
         }
        },
        "required": [
         "leaseToken",
         "error"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "requestId": "call-7",
        "position": "3-3",
        "error": {
         "code": "provider_timeout",
         "message": "no answer in time"
        }
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RunAnswer"
        },
        "example": {
         "applied": true,
         "eventSeq": 5,
         "status": "failed",
         "position": "5-5"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_event_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/interrupt": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "interruptQuery",
    "tags": [
     "Queries"
    ],
    "summary": "Give the run up, for another generation to do better",
    "description": "Holds the session for 21 minutes where the provider was confirmed to be this run's. Of a job whose answer is committed it completes that.\n\nNeeds a key with the scope `queries:run`.",
    "x-scope": "queries:run",
    "security": [
     {
      "bearer": [
       "queries:run"
      ]
     }
    ],
    "parameters": [
     {
      "name": "job",
      "in": "query",
      "required": false,
      "description": "`full`: the answer has the job, too.",
      "schema": {
       "type": "string",
       "enum": [
        "full"
       ]
      }
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "leaseToken": {
          "type": "string",
          "minLength": 1,
          "maxLength": 256,
          "description": "Of the run, as its start answered it."
         },
         "requestId": {
          "description": "The caller's own, unique for each call: makes a repeat of it write nothing more.",
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "pattern": "^[\\x21-\\x7e]*$"
         },
         "position": {
          "description": "Of this run's last answer; the same again with a repeat.",
          "pattern": "^[0-9]+-[0-9]+$",
          "type": "string"
         },
         "reason": {
          "description": "Why, for whoever reads the job: without credentials and paths.",
          "type": "string",
          "maxLength": 1048576
         }
        },
        "required": [
         "leaseToken"
        ],
        "additionalProperties": false
       },
       "example": {
        "leaseToken": "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
        "requestId": "call-7",
        "position": "3-3",
        "reason": "the machine is shut down"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RunAnswer"
        },
        "example": {
         "applied": true,
         "eventSeq": 5,
         "status": "interrupted",
         "position": "5-5"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/lease_lost"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_event_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/events": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "get": {
    "operationId": "readQueryEvents",
    "tags": [
     "Queries"
    ],
    "summary": "A job's events, by the page or as they happen",
    "description": "A page, or with `Accept: text/event-stream` the stream: every event behind `after`, each once and in order, until the terminal one. Leaving a stream changes nothing of the job. The whole log is kept as long as the job is.\n\nNeeds a key with the scope `queries:read`.",
    "x-scope": "queries:read",
    "security": [
     {
      "bearer": [
       "queries:read"
      ]
     },
     {
      "ticket": []
     }
    ],
    "parameters": [
     {
      "name": "generation",
      "in": "query",
      "required": true,
      "description": "Of the job that is meant.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 9007199254740991
      },
      "example": 1
     },
     {
      "name": "after",
      "in": "query",
      "required": false,
      "description": "The `eventSeq` of the last event that the reader has; 0, the default: none.",
      "schema": {
       "type": "integer",
       "minimum": 0,
       "maximum": 9007199254740991
      }
     },
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "description": "Events of a page at most, 1 to 256; default 256. A stream has no pages.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 256
      }
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/QueryEvents"
        },
        "example": {
         "events": [
          {
           "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
           "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
           "generation": 1,
           "status": "running",
           "type": "chunk",
           "eventSeq": 4,
           "at": "2026-01-31T09:00:04.000Z",
           "data": {
            "text": "Whales are mammals."
           }
          },
          {
           "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
           "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
           "generation": 1,
           "status": "completed",
           "type": "completed",
           "eventSeq": 5,
           "at": "2026-01-31T09:00:05.000Z",
           "data": {
            "response": "Whales are mammals."
           }
          }
         ],
         "gap": null,
         "oldestEventSeq": 1,
         "latestEventSeq": 5,
         "job": {
          "schemaVersion": 1,
          "jobId": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
          "clientJobId": "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
          "generation": 1,
          "turnId": "0f8fad5b-d9cb-469f-a165-70867728950e",
          "requestFingerprint": "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
          "status": "completed",
          "eventSeq": 5,
          "oldestEventSeq": 1,
          "sessionId": "chat-42",
          "attachments": [],
          "partialText": "Whales are mammals.",
          "partialTruncated": false,
          "activity": [],
          "acceptedAt": "2026-01-31T09:00:00.000Z",
          "updatedAt": "2026-01-31T09:00:05.000Z",
          "retentionUntil": "2026-02-07T09:00:00.000Z",
          "response": "Whales are mammals.",
          "responseTruncated": false,
          "startedAt": "2026-01-31T09:00:02.000Z",
          "completedAt": "2026-01-31T09:00:05.000Z",
          "provider": "claude"
         },
         "hasMore": false
        }
       },
       "text/event-stream": {
        "schema": {
         "type": "string",
         "description": "Begins with a comment and sends another every 15 s. An event has its `eventSeq` as `id`, its type as `event` and a QueryEvent as `data`; a reader that lost the connection goes on behind its `Last-Event-ID`, which counts instead of `after`. Frames without an id are about the stream: `snapshot` with `reason` (`cursor_ahead`, `slow_consumer`, `terminal_snapshot`, and `buffer_overflow`, which this service never needs), `job` and `resumeAfter`; and `rotate` with `resumeAfter`, before the service ends a stream whose job has not ended: connect again. After `cursor_ahead` it goes on behind `resumeAfter`; after `slow_consumer` it ends, as for a reader that took nothing for a minute. It ends after the terminal event; a reader that has that already is sent `terminal_snapshot`."
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/query_job_generation_mismatch"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_generation.invalid_event_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/query-jobs/{jobId}/tickets": {
   "parameters": [
    {
     "name": "jobId",
     "in": "path",
     "required": true,
     "description": "A query job's id, in any case.",
     "schema": {
      "type": "string",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "example": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    }
   ],
   "post": {
    "operationId": "issueQueryTicket",
    "tags": [
     "Queries"
    ],
    "summary": "A ticket to one job, for a browser or a phone",
    "description": "Whoever has it may read that job and its events, cancel it and acknowledge it, until it is over; nothing else. It is sent as a key is, or as `?ticket=` by an `EventSource`, and never logged here. It cannot be taken back one by one: another HOLDFAST_SECRET ends all of them.\n\nNeeds a key with the scope `queries:read`.",
    "x-scope": "queries:read",
    "security": [
     {
      "bearer": [
       "queries:read"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "generation": {
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991,
          "description": "Of the job that is meant."
         },
         "ttlMs": {
          "description": "How long the ticket is good, 60,000 to 86,400,000; default 3,600,000.",
          "type": "integer",
          "minimum": 60000,
          "maximum": 86400000
         }
        },
        "required": [
         "generation"
        ],
        "additionalProperties": false
       },
       "example": {
        "generation": 1,
        "ttlMs": 3600000
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Ticket"
        },
        "example": {
         "ticket": "hft1..7c9e6679-7425-40de-944b-e07fc1f90ae7.1.1769853600000.9rT2-kYw3l0vZp6XbQ8nLc5sJdG7hF1aMeU4oI_tRzE",
         "expiresAt": "2026-01-31T10:00:00.000Z"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/query_job_generation_mismatch"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_generation"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/health": {
   "get": {
    "operationId": "health",
    "tags": [
     "Operations"
    ],
    "summary": "How much waits, from the due index alone",
    "description": "Of the caller's tenant. It costs the same whatever is stored; an index may lag, so some of what it tells may have been dealt with.\n\nAny key may ask.",
    "x-scope": "any",
    "security": [
     {
      "bearer": []
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Health"
        },
        "example": {
         "emails": {
          "deliver": {
           "due": 3,
           "more": false,
           "oldestDueAt": "2026-01-31T08:59:00.000Z"
          },
          "attend": {
           "due": 0,
           "more": false,
           "oldestDueAt": null
          },
          "stuck": {
           "due": 0,
           "more": false,
           "oldestDueAt": null
          },
          "counters": {
           "corruptRecords": 0,
           "contended": 0,
           "unknownOutcomes": 0,
           "leasesLost": 1,
           "mailerUnavailable": 0
          }
         },
         "receipts": {
          "attend": {
           "due": 0,
           "more": false,
           "oldestDueAt": null
          },
          "stuck": {
           "due": 0,
           "more": false,
           "oldestDueAt": null
          },
          "counters": {
           "replays": 4,
           "conflicts": 0,
           "outcomesUnknown": 0,
           "contradictions": 0,
           "dispatchesLost": 0
          }
         },
         "queries": {
          "attend": {
           "due": 0,
           "more": false,
           "oldestDueAt": null
          },
          "stuck": {
           "due": 0,
           "more": false,
           "oldestDueAt": null
          },
          "counters": {
           "admitted": 3,
           "duplicates": 1,
           "refused": 0,
           "completed": 2,
           "failed": 0,
           "interrupted": 0,
           "leasesLost": 0
          }
         }
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/stuck": {
   "get": {
    "operationId": "stuck",
    "tags": [
     "Operations"
    ],
    "summary": "What waits for a person, why, and what to do",
    "description": "Failed jobs, unknown outcomes, contradictions, and claims and jobs that have waited too long. Nothing of their content is told.\n\nNeeds a key with the scope `ops`.",
    "x-scope": "ops",
    "security": [
     {
      "bearer": [
       "ops"
      ]
     }
    ],
    "parameters": [
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "description": "Items at most, 1 to 100; default 50.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 100
      }
     },
     {
      "name": "cursor",
      "in": "query",
      "required": false,
      "description": "The `nextCursor` of the page before; none for the first.",
      "schema": {
       "pattern": "^[A-Za-z0-9_-]+$",
       "type": "string",
       "maxLength": 4096
      }
     }
    ],
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/StuckPage"
        },
        "example": {
         "items": [
          {
           "machine": "emails",
           "id": "sha256:ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c",
           "state": "failed",
           "since": "2026-01-31T09:05:00.000Z",
           "why": "failed after 3 attempts, all that it has",
           "action": "read its lastError, mend the cause, then requeue it; or erase it"
          }
         ],
         "nextCursor": null
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request.invalid_cursor"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.misconfigured"
     }
    }
   }
  },
  "/v1/reconciliations": {
   "post": {
    "operationId": "reconcile",
    "tags": [
     "Operations"
    ],
    "summary": "One pass over the key's tenant: find, recover, promote, deliver, retire",
    "description": "Bounded in time, and answered five seconds after its budget at the latest; may run beside any other pass, though a tenant may ask for one at a time. A dry run tells what one page of everything would come to, and does nothing.\n\nNeeds a key with the scope `ops`.",
    "x-scope": "ops",
    "security": [
     {
      "bearer": [
       "ops"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes. May be left out.",
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "dryRun": {
          "description": "Tell what would happen, and do nothing.",
          "type": "boolean"
         },
         "budgetMs": {
          "description": "How long the pass may take; the service's own budget (25,000) without it.",
          "type": "integer",
          "minimum": 100,
          "maximum": 3600000
         }
        },
        "additionalProperties": false
       },
       "example": {
        "dryRun": true
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/PassReport"
        },
        "example": {
         "receipts": {
          "recovered": 1,
          "retired": 0
         },
         "queries": {
          "completed": 0,
          "interrupted": 1,
          "retired": 0
         },
         "emails": {
          "discovered": 2,
          "enqueued": 1,
          "promoted": 1,
          "sent": 3,
          "retried": 1,
          "failed": 0,
          "cancelled": 0,
          "retired": 0,
          "stale": 0,
          "skipped": 0
         },
         "failures": [
          {
           "machine": "emails",
           "tenant": null,
           "id": "source:reminder",
           "code": "source_failed",
           "count": 1,
           "why": "the source threw",
           "action": "read what it threw in the log; it is asked for the same page by the next pass"
          }
         ],
         "failuresLeftOut": 0,
         "hasMore": false
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/query-collections": {
   "post": {
    "operationId": "collect",
    "tags": [
     "Queries"
    ],
    "summary": "Remove logs that belong to no query job: one page of a walk over all",
    "description": "They are left by admissions and retirements that were cut off, and cost storage and nothing else. The walk goes on where the page before ended, whoever asked for that, and runs beside any traffic.\n\nNeeds a key with the scope `ops`.",
    "x-scope": "ops",
    "security": [
     {
      "bearer": [
       "ops"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes. May be left out.",
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "limit": {
          "description": "Logs at most, 1 to 1,000; default 100.",
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
         }
        },
        "additionalProperties": false
       },
       "example": {}
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Collected"
        },
        "example": {
         "examined": 100,
         "removed": 2,
         "corrupt": 0,
         "isComplete": false
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/v1/erasures": {
   "post": {
    "operationId": "erase",
    "tags": [
     "Operations"
    ],
    "summary": "Replace a record's personal content by a tombstone",
    "description": "Of an email, of a receipt, or of all generations of a query. The record keeps its id, state and times; a receipt also its payload's hash and what came of the operation. Afterwards everything under its key answers 410, `erased` or of a receipt `operation_expired`, and it never runs again. Erasing it again changes nothing and is answered as before. Refused while it is in use: an email that is being sent, a receipt that is dispatching, a query that has not ended.\n\nNeeds a key with the scope `ops`.",
    "x-scope": "ops",
    "security": [
     {
      "bearer": [
       "ops"
      ]
     }
    ],
    "requestBody": {
     "description": "At most 1,048,576 bytes.",
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "email": {
          "description": "A logical key, or `sha256:` and an id.",
          "minLength": 1,
          "maxLength": 1024,
          "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$",
          "type": "string"
         },
         "receipt": {
          "description": "A receipt's id.",
          "type": "string",
          "pattern": "^[0-9a-f]{64}$"
         },
         "query": {
          "description": "A client job id. One of the three.",
          "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$",
          "type": "string"
         }
        },
        "additionalProperties": false,
        "oneOf": [
         {
          "required": [
           "email"
          ]
         },
         {
          "required": [
           "receipt"
          ]
         },
         {
          "required": [
           "query"
          ]
         }
        ]
       },
       "example": {
        "email": "welcome:ann@example.com"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "Done, or found.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Erased"
        },
        "example": {
         "machine": "emails",
         "id": "sha256:ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c",
         "state": "sent",
         "updatedAt": "2026-01-31T09:10:00.000Z"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/malformed_json.bad_request"
     },
     "401": {
      "$ref": "#/components/responses/unauthorized"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/job_not_found.receipt_not_found.query_job_not_found"
     },
     "409": {
      "$ref": "#/components/responses/in_use"
     },
     "413": {
      "$ref": "#/components/responses/body_too_large"
     },
     "415": {
      "$ref": "#/components/responses/unsupported_media_type"
     },
     "422": {
      "$ref": "#/components/responses/invalid_request"
     },
     "429": {
      "$ref": "#/components/responses/throttled"
     },
     "500": {
      "$ref": "#/components/responses/internal_error.record_corrupt"
     },
     "503": {
      "$ref": "#/components/responses/unavailable.outcome_unknown.contended.misconfigured"
     }
    }
   }
  },
  "/healthz": {
   "get": {
    "operationId": "healthz",
    "tags": [
     "Service"
    ],
    "summary": "Whether the process lives",
    "security": [],
    "responses": {
     "200": {
      "description": "It does.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "status": {
           "type": "string",
           "const": "ok"
          }
         },
         "required": [
          "status"
         ]
        }
       }
      }
     }
    }
   }
  },
  "/readyz": {
   "get": {
    "operationId": "readyz",
    "tags": [
     "Service"
    ],
    "summary": "Whether the storage answers",
    "security": [],
    "responses": {
     "200": {
      "description": "It does.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "status": {
           "type": "string",
           "const": "ready"
          }
         },
         "required": [
          "status"
         ]
        }
       }
      }
     },
     "503": {
      "$ref": "#/components/responses/unavailable"
     }
    }
   }
  },
  "/openapi.json": {
   "get": {
    "operationId": "openapi",
    "tags": [
     "Service"
    ],
    "summary": "This document",
    "security": [],
    "responses": {
     "200": {
      "description": "OpenAPI 3.1.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "type": "object"
        }
       }
      }
     }
    }
   }
  },
  "/docs": {
   "get": {
    "operationId": "docs",
    "tags": [
     "Service"
    ],
    "summary": "The same for people",
    "security": [],
    "responses": {
     "200": {
      "description": "A page.",
      "headers": {
       "X-Request-Id": {
        "$ref": "#/components/headers/X-Request-Id"
       }
      },
      "content": {
       "text/html": {
        "schema": {
         "type": "string"
        }
       }
      }
     }
    }
   }
  }
 },
 "components": {
  "securitySchemes": {
   "bearer": {
    "type": "http",
    "scheme": "bearer",
    "description": "A key of this service: `hf_<id>_<43 characters>`. Its entry has its scopes. Or a ticket."
   },
   "ticket": {
    "type": "apiKey",
    "in": "query",
    "name": "ticket",
    "description": "A ticket to one query job, for an `EventSource`, which sets no headers."
   }
  },
  "headers": {
   "X-Request-Id": {
    "description": "The request's own, where it is 1 to 128 visible ASCII characters; else one that was made. The log knows the request by it.",
    "required": true,
    "schema": {
     "type": "string",
     "pattern": "^[\\x21-\\x7e]{1,128}$"
    }
   },
   "Retry-After": {
    "description": "Seconds after which the same request may be repeated.",
    "schema": {
     "type": "integer",
     "minimum": 0
    }
   },
   "WWW-Authenticate": {
    "description": "How to name a key.",
    "schema": {
     "type": "string",
     "const": "Bearer"
    }
   },
   "Accept": {
    "description": "What a body may be.",
    "schema": {
     "type": "string",
     "const": "application/json"
    }
   }
  },
  "responses": {
   "body_too_large": {
    "description": "- `body_too_large`: The body has more bytes than the operation takes. Nothing was done.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 413
          },
          "code": {
           "enum": [
            "body_too_large"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "body_too_large": {
        "value": {
         "type": "/docs#body_too_large",
         "title": "The body is too large",
         "status": 413,
         "detail": "The body has more bytes than the operation takes. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "body_too_large"
        }
       }
      }
     }
    }
   },
   "claim_lost": {
    "description": "- `claim_lost`: The job is not claimed by this claimant with this token (any more).",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "claim_lost"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "claim_lost": {
        "value": {
         "type": "/docs#claim_lost",
         "title": "The claim is not the current one",
         "status": 409,
         "detail": "The job is not claimed by this claimant with this token (any more).",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "claim_lost",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "config_not_found": {
    "description": "- `config_not_found`: The email configuration was not made yet.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 404
          },
          "code": {
           "enum": [
            "config_not_found"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "config_not_found": {
        "value": {
         "type": "/docs#config_not_found",
         "title": "No configuration yet",
         "status": 404,
         "detail": "The email configuration was not made yet.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "config_not_found"
        }
       }
      }
     }
    }
   },
   "dispatch_lost": {
    "description": "- `dispatch_lost`: The dispatch belongs to another caller, or to nobody any more. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "dispatch_lost"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "dispatch_lost": {
        "value": {
         "type": "/docs#dispatch_lost",
         "title": "The dispatch is not the caller's",
         "status": 409,
         "detail": "The dispatch belongs to another caller, or to nobody any more. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "dispatch_lost",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "erased": {
    "description": "- `erased`: The record's content was erased. It never runs again.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 410
          },
          "code": {
           "enum": [
            "erased"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "erased": {
        "value": {
         "type": "/docs#erased",
         "title": "The record was erased",
         "status": 410,
         "detail": "The record's content was erased. It never runs again.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "erased",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "forbidden": {
    "description": "- `forbidden`: The key lacks the scope that the operation needs; or, on a service without keys, the request came through another host name or from a page of another site. Nothing was done.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 403
          },
          "code": {
           "enum": [
            "forbidden"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "forbidden": {
        "value": {
         "type": "/docs#forbidden",
         "title": "Not allowed",
         "status": 403,
         "detail": "The key lacks the scope that the operation needs; or, on a service without keys, the request came through another host name or from a page of another site. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "forbidden"
        }
       }
      }
     }
    }
   },
   "in_use": {
    "description": "- `in_use`: The record is being worked on. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "in_use"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "in_use": {
        "value": {
         "type": "/docs#in_use",
         "title": "The record is in use",
         "status": 409,
         "detail": "The record is being worked on. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "in_use",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "internal_error": {
    "description": "- `internal_error`: A fault that the service did not expect. What it was stands in its log.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 500
          },
          "code": {
           "enum": [
            "internal_error"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "internal_error": {
        "value": {
         "type": "/docs#internal_error",
         "title": "An unexpected fault",
         "status": 500,
         "detail": "A fault that the service did not expect. What it was stands in its log.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "internal_error"
        }
       }
      }
     }
    }
   },
   "internal_error.record_corrupt": {
    "description": "- `internal_error`: A fault that the service did not expect. What it was stands in its log.\n- `record_corrupt`: The stored record cannot be read. It is left exactly as it is.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 500
          },
          "code": {
           "enum": [
            "internal_error",
            "record_corrupt"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "internal_error": {
        "value": {
         "type": "/docs#internal_error",
         "title": "An unexpected fault",
         "status": 500,
         "detail": "A fault that the service did not expect. What it was stands in its log.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "internal_error"
        }
       },
       "record_corrupt": {
        "value": {
         "type": "/docs#record_corrupt",
         "title": "The record cannot be read",
         "status": 500,
         "detail": "The stored record cannot be read. It is left exactly as it is.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "record_corrupt"
        }
       }
      }
     }
    }
   },
   "invalid_receipt_state": {
    "description": "- `invalid_receipt_state`: The receipt is in no state that this starts from. `state` and `updatedAt` tell how it was found. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "invalid_receipt_state"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_receipt_state": {
        "value": {
         "type": "/docs#invalid_receipt_state",
         "title": "The receipt is in another state",
         "status": 409,
         "detail": "The receipt is in no state that this starts from. state and updatedAt tell how it was found. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_receipt_state",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "invalid_receipt_state.dispatch_live.already_resolved": {
    "description": "- `invalid_receipt_state`: The receipt is in no state that this starts from. `state` and `updatedAt` tell how it was found. Nothing was written.\n- `dispatch_live`: The dispatch has time left, its lease and the margin. Nothing was written.\n- `already_resolved`: A person said what came of the operation, and the first answer stands for ever: `outcome`. A late report of the caller was kept as a note.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "invalid_receipt_state",
            "dispatch_live",
            "already_resolved"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_receipt_state": {
        "value": {
         "type": "/docs#invalid_receipt_state",
         "title": "The receipt is in another state",
         "status": 409,
         "detail": "The receipt is in no state that this starts from. state and updatedAt tell how it was found. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_receipt_state",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       },
       "dispatch_live": {
        "value": {
         "type": "/docs#dispatch_live",
         "title": "The dispatch may still be running",
         "status": 409,
         "detail": "The dispatch has time left, its lease and the margin. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "dispatch_live",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       },
       "already_resolved": {
        "value": {
         "type": "/docs#already_resolved",
         "title": "A person's answer stands",
         "status": 409,
         "detail": "A person said what came of the operation, and the first answer stands for ever: outcome. A late report of the caller was kept as a note.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "already_resolved",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "invalid_receipt_state.dispatch_lost": {
    "description": "- `invalid_receipt_state`: The receipt is in no state that this starts from. `state` and `updatedAt` tell how it was found. Nothing was written.\n- `dispatch_lost`: The dispatch belongs to another caller, or to nobody any more. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "invalid_receipt_state",
            "dispatch_lost"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_receipt_state": {
        "value": {
         "type": "/docs#invalid_receipt_state",
         "title": "The receipt is in another state",
         "status": 409,
         "detail": "The receipt is in no state that this starts from. state and updatedAt tell how it was found. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_receipt_state",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       },
       "dispatch_lost": {
        "value": {
         "type": "/docs#dispatch_lost",
         "title": "The dispatch is not the caller's",
         "status": 409,
         "detail": "The dispatch belongs to another caller, or to nobody any more. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "dispatch_lost",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "invalid_receipt_state.dispatch_lost.already_resolved": {
    "description": "- `invalid_receipt_state`: The receipt is in no state that this starts from. `state` and `updatedAt` tell how it was found. Nothing was written.\n- `dispatch_lost`: The dispatch belongs to another caller, or to nobody any more. Nothing was written.\n- `already_resolved`: A person said what came of the operation, and the first answer stands for ever: `outcome`. A late report of the caller was kept as a note.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "invalid_receipt_state",
            "dispatch_lost",
            "already_resolved"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_receipt_state": {
        "value": {
         "type": "/docs#invalid_receipt_state",
         "title": "The receipt is in another state",
         "status": 409,
         "detail": "The receipt is in no state that this starts from. state and updatedAt tell how it was found. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_receipt_state",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       },
       "dispatch_lost": {
        "value": {
         "type": "/docs#dispatch_lost",
         "title": "The dispatch is not the caller's",
         "status": 409,
         "detail": "The dispatch belongs to another caller, or to nobody any more. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "dispatch_lost",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       },
       "already_resolved": {
        "value": {
         "type": "/docs#already_resolved",
         "title": "A person's answer stands",
         "status": 409,
         "detail": "A person said what came of the operation, and the first answer stands for ever: outcome. A late report of the caller was kept as a note.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "already_resolved",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "invalid_request": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       }
      }
     }
    }
   },
   "invalid_request.invalid_client_job_id.invalid_generation.invalid_query.query_too_large.query_or_attachment_required.invalid_session_id.invalid_model.invalid_effort.invalid_message_era.invalid_handoff_code.invalid_client_queue_item_id.invalid_global_msg_num.invalid_reference.invalid_reference_query.reference_query_too_large.invalid_reference_response.reference_response_too_large": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.\n- `invalid_client_job_id`: The client job id is no UUID of version 4. Nothing was written.\n- `invalid_generation`: The generation is missing, or no whole number from 1. Nothing was written.\n- `invalid_query`: The query is no text, or has half a surrogate pair in it. Nothing was written.\n- `query_too_large`: The text has more characters (UTF-16 units) than it may have, as `errors` tells. Nothing was written.\n- `query_or_attachment_required`: The query is blank, and there is no valid attachment. Nothing was written.\n- `invalid_session_id`: The session id is missing, or not of its form. Nothing was written.\n- `invalid_model`: The field is no text, is blank, or is too long. Nothing was written.\n- `invalid_effort`: The field is no text, is blank, or is too long. Nothing was written.\n- `invalid_message_era`: The field is no text, is blank, or is too long. Nothing was written.\n- `invalid_handoff_code`: The field is no text, is blank, or is too long. Nothing was written.\n- `invalid_client_queue_item_id`: The field is no text, is blank, or is too long. Nothing was written.\n- `invalid_global_msg_num`: The message number is no whole number from 1. Nothing was written.\n- `invalid_reference`: The reference is no object of an earlier query and its response, both not blank. Nothing was written.\n- `invalid_reference_query`: The reference is no object of an earlier query and its response, both not blank. Nothing was written.\n- `reference_query_too_large`: The text has more characters (UTF-16 units) than it may have, as `errors` tells. Nothing was written.\n- `invalid_reference_response`: The reference is no object of an earlier query and its response, both not blank. Nothing was written.\n- `reference_response_too_large`: The text has more characters (UTF-16 units) than it may have, as `errors` tells. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request",
            "invalid_client_job_id",
            "invalid_generation",
            "invalid_query",
            "query_too_large",
            "query_or_attachment_required",
            "invalid_session_id",
            "invalid_model",
            "invalid_effort",
            "invalid_message_era",
            "invalid_handoff_code",
            "invalid_client_queue_item_id",
            "invalid_global_msg_num",
            "invalid_reference",
            "invalid_reference_query",
            "reference_query_too_large",
            "invalid_reference_response",
            "reference_response_too_large"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       },
       "invalid_client_job_id": {
        "value": {
         "type": "/docs#invalid_client_job_id",
         "title": "The client job id is not valid",
         "status": 422,
         "detail": "The client job id is no UUID of version 4. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_client_job_id",
         "error": {
          "code": "invalid_client_job_id",
          "message": "The client job id is no UUID of version 4. Nothing was written."
         }
        }
       },
       "invalid_generation": {
        "value": {
         "type": "/docs#invalid_generation",
         "title": "The generation is not valid",
         "status": 422,
         "detail": "The generation is missing, or no whole number from 1. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_generation",
         "error": {
          "code": "invalid_generation",
          "message": "The generation is missing, or no whole number from 1. Nothing was written."
         }
        }
       },
       "invalid_query": {
        "value": {
         "type": "/docs#invalid_query",
         "title": "The query is not valid",
         "status": 422,
         "detail": "The query is no text, or has half a surrogate pair in it. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_query",
         "error": {
          "code": "invalid_query",
          "message": "The query is no text, or has half a surrogate pair in it. Nothing was written."
         }
        }
       },
       "query_too_large": {
        "value": {
         "type": "/docs#query_too_large",
         "title": "The query is too long",
         "status": 422,
         "detail": "The text has more characters (UTF-16 units) than it may have, as errors tells. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_too_large",
         "error": {
          "code": "query_too_large",
          "message": "The text has more characters (UTF-16 units) than it may have, as errors tells. Nothing was written."
         }
        }
       },
       "query_or_attachment_required": {
        "value": {
         "type": "/docs#query_or_attachment_required",
         "title": "Nothing is asked",
         "status": 422,
         "detail": "The query is blank, and there is no valid attachment. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_or_attachment_required",
         "error": {
          "code": "query_or_attachment_required",
          "message": "The query is blank, and there is no valid attachment. Nothing was written."
         }
        }
       },
       "invalid_session_id": {
        "value": {
         "type": "/docs#invalid_session_id",
         "title": "The session id is not valid",
         "status": 422,
         "detail": "The session id is missing, or not of its form. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_session_id",
         "error": {
          "code": "invalid_session_id",
          "message": "The session id is missing, or not of its form. Nothing was written."
         }
        }
       },
       "invalid_model": {
        "value": {
         "type": "/docs#invalid_model",
         "title": "The model is not valid",
         "status": 422,
         "detail": "The field is no text, is blank, or is too long. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_model",
         "error": {
          "code": "invalid_model",
          "message": "The field is no text, is blank, or is too long. Nothing was written."
         }
        }
       },
       "invalid_effort": {
        "value": {
         "type": "/docs#invalid_effort",
         "title": "The effort is not valid",
         "status": 422,
         "detail": "The field is no text, is blank, or is too long. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_effort",
         "error": {
          "code": "invalid_effort",
          "message": "The field is no text, is blank, or is too long. Nothing was written."
         }
        }
       },
       "invalid_message_era": {
        "value": {
         "type": "/docs#invalid_message_era",
         "title": "The message era is not valid",
         "status": 422,
         "detail": "The field is no text, is blank, or is too long. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_message_era",
         "error": {
          "code": "invalid_message_era",
          "message": "The field is no text, is blank, or is too long. Nothing was written."
         }
        }
       },
       "invalid_handoff_code": {
        "value": {
         "type": "/docs#invalid_handoff_code",
         "title": "The handoff code is not valid",
         "status": 422,
         "detail": "The field is no text, is blank, or is too long. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_handoff_code",
         "error": {
          "code": "invalid_handoff_code",
          "message": "The field is no text, is blank, or is too long. Nothing was written."
         }
        }
       },
       "invalid_client_queue_item_id": {
        "value": {
         "type": "/docs#invalid_client_queue_item_id",
         "title": "The queue item id is not valid",
         "status": 422,
         "detail": "The field is no text, is blank, or is too long. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_client_queue_item_id",
         "error": {
          "code": "invalid_client_queue_item_id",
          "message": "The field is no text, is blank, or is too long. Nothing was written."
         }
        }
       },
       "invalid_global_msg_num": {
        "value": {
         "type": "/docs#invalid_global_msg_num",
         "title": "The message number is not valid",
         "status": 422,
         "detail": "The message number is no whole number from 1. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_global_msg_num",
         "error": {
          "code": "invalid_global_msg_num",
          "message": "The message number is no whole number from 1. Nothing was written."
         }
        }
       },
       "invalid_reference": {
        "value": {
         "type": "/docs#invalid_reference",
         "title": "The reference is not valid",
         "status": 422,
         "detail": "The reference is no object of an earlier query and its response, both not blank. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_reference",
         "error": {
          "code": "invalid_reference",
          "message": "The reference is no object of an earlier query and its response, both not blank. Nothing was written."
         }
        }
       },
       "invalid_reference_query": {
        "value": {
         "type": "/docs#invalid_reference_query",
         "title": "The reference's query is not valid",
         "status": 422,
         "detail": "The reference is no object of an earlier query and its response, both not blank. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_reference_query",
         "error": {
          "code": "invalid_reference_query",
          "message": "The reference is no object of an earlier query and its response, both not blank. Nothing was written."
         }
        }
       },
       "reference_query_too_large": {
        "value": {
         "type": "/docs#reference_query_too_large",
         "title": "The reference's query is too long",
         "status": 422,
         "detail": "The text has more characters (UTF-16 units) than it may have, as errors tells. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "reference_query_too_large",
         "error": {
          "code": "reference_query_too_large",
          "message": "The text has more characters (UTF-16 units) than it may have, as errors tells. Nothing was written."
         }
        }
       },
       "invalid_reference_response": {
        "value": {
         "type": "/docs#invalid_reference_response",
         "title": "The reference's response is not valid",
         "status": 422,
         "detail": "The reference is no object of an earlier query and its response, both not blank. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_reference_response",
         "error": {
          "code": "invalid_reference_response",
          "message": "The reference is no object of an earlier query and its response, both not blank. Nothing was written."
         }
        }
       },
       "reference_response_too_large": {
        "value": {
         "type": "/docs#reference_response_too_large",
         "title": "The reference's response is too long",
         "status": 422,
         "detail": "The text has more characters (UTF-16 units) than it may have, as errors tells. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "reference_response_too_large",
         "error": {
          "code": "reference_response_too_large",
          "message": "The text has more characters (UTF-16 units) than it may have, as errors tells. Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "invalid_request.invalid_cursor": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.\n- `invalid_cursor`: The cursor is not one that this listing gave to this tenant.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request",
            "invalid_cursor"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       },
       "invalid_cursor": {
        "value": {
         "type": "/docs#invalid_cursor",
         "title": "The cursor is not valid",
         "status": 422,
         "detail": "The cursor is not one that this listing gave to this tenant.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_cursor"
        }
       }
      }
     }
    }
   },
   "invalid_request.invalid_event_cursor": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.\n- `invalid_event_cursor`: The position, or the number of an event, is not one that the service gave. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request",
            "invalid_event_cursor"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       },
       "invalid_event_cursor": {
        "value": {
         "type": "/docs#invalid_event_cursor",
         "title": "The place in the events is not valid",
         "status": 422,
         "detail": "The position, or the number of an event, is not one that the service gave. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_event_cursor",
         "error": {
          "code": "invalid_event_cursor",
          "message": "The position, or the number of an event, is not one that the service gave. Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "invalid_request.invalid_event_cursor.delta_too_large": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.\n- `invalid_event_cursor`: The position, or the number of an event, is not one that the service gave. Nothing was written.\n- `delta_too_large`: The delta has more than 16,000 characters (UTF-16 units). Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request",
            "invalid_event_cursor",
            "delta_too_large"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       },
       "invalid_event_cursor": {
        "value": {
         "type": "/docs#invalid_event_cursor",
         "title": "The place in the events is not valid",
         "status": 422,
         "detail": "The position, or the number of an event, is not one that the service gave. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_event_cursor",
         "error": {
          "code": "invalid_event_cursor",
          "message": "The position, or the number of an event, is not one that the service gave. Nothing was written."
         }
        }
       },
       "delta_too_large": {
        "value": {
         "type": "/docs#delta_too_large",
         "title": "The delta is too long",
         "status": 422,
         "detail": "The delta has more than 16,000 characters (UTF-16 units). Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "delta_too_large",
         "error": {
          "code": "delta_too_large",
          "message": "The delta has more than 16,000 characters (UTF-16 units). Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "invalid_request.invalid_generation": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.\n- `invalid_generation`: The generation is missing, or no whole number from 1. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request",
            "invalid_generation"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       },
       "invalid_generation": {
        "value": {
         "type": "/docs#invalid_generation",
         "title": "The generation is not valid",
         "status": 422,
         "detail": "The generation is missing, or no whole number from 1. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_generation",
         "error": {
          "code": "invalid_generation",
          "message": "The generation is missing, or no whole number from 1. Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "invalid_request.invalid_generation.invalid_event_cursor": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.\n- `invalid_generation`: The generation is missing, or no whole number from 1. Nothing was written.\n- `invalid_event_cursor`: The position, or the number of an event, is not one that the service gave. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request",
            "invalid_generation",
            "invalid_event_cursor"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       },
       "invalid_generation": {
        "value": {
         "type": "/docs#invalid_generation",
         "title": "The generation is not valid",
         "status": 422,
         "detail": "The generation is missing, or no whole number from 1. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_generation",
         "error": {
          "code": "invalid_generation",
          "message": "The generation is missing, or no whole number from 1. Nothing was written."
         }
        }
       },
       "invalid_event_cursor": {
        "value": {
         "type": "/docs#invalid_event_cursor",
         "title": "The place in the events is not valid",
         "status": 422,
         "detail": "The position, or the number of an event, is not one that the service gave. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "invalid_event_cursor",
         "error": {
          "code": "invalid_event_cursor",
          "message": "The position, or the number of an event, is not one that the service gave. Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "invalid_request.operation_receipt_conflict": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.\n- `operation_receipt_conflict`: The operation id belongs to another payload, or the receipt has another result. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request",
            "operation_receipt_conflict"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       },
       "operation_receipt_conflict": {
        "value": {
         "type": "/docs#operation_receipt_conflict",
         "title": "The operation is bound to other content",
         "status": 422,
         "detail": "The operation id belongs to another payload, or the receipt has another result. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "operation_receipt_conflict"
        }
       }
      }
     }
    }
   },
   "invalid_request.record_too_large": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.\n- `record_too_large`: The record would be larger than a storage takes. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request",
            "record_too_large"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       },
       "record_too_large": {
        "value": {
         "type": "/docs#record_too_large",
         "title": "The record would be too large",
         "status": 422,
         "detail": "The record would be larger than a storage takes. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "record_too_large"
        }
       }
      }
     }
    }
   },
   "invalid_request.record_too_large.job_payload_conflict": {
    "description": "- `invalid_request`: The path, the query or the body is not what the operation takes. `errors` names the places. Nothing was done.\n- `record_too_large`: The record would be larger than a storage takes. Nothing was written.\n- `job_payload_conflict`: The key belongs to a job with another payload, and `conflict` was asked for.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "invalid_request",
            "record_too_large",
            "job_payload_conflict"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "invalid_request": {
        "value": {
         "type": "/docs#invalid_request",
         "title": "The request is not valid",
         "status": 422,
         "detail": "The path, the query or the body is not what the operation takes. errors names the places. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_request",
         "errors": [
          {
           "path": "payload.subject",
           "message": "must be one line"
          }
         ]
        }
       },
       "record_too_large": {
        "value": {
         "type": "/docs#record_too_large",
         "title": "The record would be too large",
         "status": 422,
         "detail": "The record would be larger than a storage takes. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "record_too_large"
        }
       },
       "job_payload_conflict": {
        "value": {
         "type": "/docs#job_payload_conflict",
         "title": "The key belongs to another payload",
         "status": 422,
         "detail": "The key belongs to a job with another payload, and conflict was asked for.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "job_payload_conflict"
        }
       }
      }
     }
    }
   },
   "job_expired.erased": {
    "description": "- `job_expired`: The job is past its retention. Its key is never used again.\n- `erased`: The record's content was erased. It never runs again.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 410
          },
          "code": {
           "enum": [
            "job_expired",
            "erased"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "job_expired": {
        "value": {
         "type": "/docs#job_expired",
         "title": "The job is past its retention",
         "status": 410,
         "detail": "The job is past its retention. Its key is never used again.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "job_expired",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       },
       "erased": {
        "value": {
         "type": "/docs#erased",
         "title": "The record was erased",
         "status": 410,
         "detail": "The record's content was erased. It never runs again.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "erased",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "job_history_full.throttled": {
    "description": "- `job_history_full`: 64 earlier generations of the client job are still kept. Nothing was written.\n- `throttled`: The storage refused for load. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 429
          },
          "code": {
           "enum": [
            "job_history_full",
            "throttled"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "job_history_full": {
        "value": {
         "type": "/docs#job_history_full",
         "title": "Too many earlier generations",
         "status": 429,
         "detail": "64 earlier generations of the client job are still kept. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "job_history_full",
         "retryAfterMs": 60000,
         "error": {
          "code": "job_history_full",
          "message": "64 earlier generations of the client job are still kept. Nothing was written.",
          "retryable": true,
          "retryAfterMs": 60000
         }
        }
       },
       "throttled": {
        "value": {
         "type": "/docs#throttled",
         "title": "Too much at once",
         "status": 429,
         "detail": "The storage refused for load. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "throttled",
         "retryAfterMs": 1000
        }
       }
      }
     }
    }
   },
   "job_not_found.receipt_not_found.query_job_not_found": {
    "description": "- `job_not_found`: No job has that key, as far as this key's tenant is concerned.\n- `receipt_not_found`: No receipt has that id, as far as this key's tenant is concerned.\n- `query_job_not_found`: No query job has that id, as far as this key's tenant is concerned; or it is past its retention.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 404
          },
          "code": {
           "enum": [
            "job_not_found",
            "receipt_not_found",
            "query_job_not_found"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "job_not_found": {
        "value": {
         "type": "/docs#job_not_found",
         "title": "No such job",
         "status": 404,
         "detail": "No job has that key, as far as this key's tenant is concerned.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "job_not_found"
        }
       },
       "receipt_not_found": {
        "value": {
         "type": "/docs#receipt_not_found",
         "title": "No such receipt",
         "status": 404,
         "detail": "No receipt has that id, as far as this key's tenant is concerned.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "receipt_not_found"
        }
       },
       "query_job_not_found": {
        "value": {
         "type": "/docs#query_job_not_found",
         "title": "No such query job",
         "status": 404,
         "detail": "No query job has that id, as far as this key's tenant is concerned; or it is past its retention.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_job_not_found",
         "error": {
          "code": "query_job_not_found",
          "message": "No query job has that id, as far as this key's tenant is concerned; or it is past its retention."
         }
        }
       }
      }
     }
    }
   },
   "lease_lost": {
    "description": "- `lease_lost`: Another lease or another settlement came after this token. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "lease_lost"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "lease_lost": {
        "value": {
         "type": "/docs#lease_lost",
         "title": "The lease is not the current one",
         "status": 409,
         "detail": "Another lease or another settlement came after this token. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "lease_lost",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "malformed_json.bad_request": {
    "description": "- `malformed_json`: The body is not UTF-8, not JSON, or names a property twice in one object. Nothing was done.\n- `bad_request`: The request ended early or is not valid HTTP. Nothing was done.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 400
          },
          "code": {
           "enum": [
            "malformed_json",
            "bad_request"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "malformed_json": {
        "value": {
         "type": "/docs#malformed_json",
         "title": "The body is not JSON",
         "status": 400,
         "detail": "The body is not UTF-8, not JSON, or names a property twice in one object. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "malformed_json"
        }
       },
       "bad_request": {
        "value": {
         "type": "/docs#bad_request",
         "title": "The request is not valid HTTP",
         "status": 400,
         "detail": "The request ended early or is not valid HTTP. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "bad_request"
        }
       }
      }
     }
    }
   },
   "not_claimable": {
    "description": "- `not_claimable`: The job does not wait for a text, or its claim is not older than `staleBefore`.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "not_claimable"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "not_claimable": {
        "value": {
         "type": "/docs#not_claimable",
         "title": "The job cannot be claimed now",
         "status": 409,
         "detail": "The job does not wait for a text, or its claim is not older than staleBefore.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "not_claimable",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "not_found.config_not_found.cursor_not_found": {
    "description": "- `not_found`: There is no such route. A key that is empty or a dot segment makes none either.\n- `config_not_found`: The email configuration was not made yet.\n- `cursor_not_found`: There is no cursor of that name that can be set.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 404
          },
          "code": {
           "enum": [
            "not_found",
            "config_not_found",
            "cursor_not_found"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "not_found": {
        "value": {
         "type": "/docs#not_found",
         "title": "No such route",
         "status": 404,
         "detail": "There is no such route. A key that is empty or a dot segment makes none either.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "not_found"
        }
       },
       "config_not_found": {
        "value": {
         "type": "/docs#config_not_found",
         "title": "No configuration yet",
         "status": 404,
         "detail": "The email configuration was not made yet.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "config_not_found"
        }
       },
       "cursor_not_found": {
        "value": {
         "type": "/docs#cursor_not_found",
         "title": "No such cursor",
         "status": 404,
         "detail": "There is no cursor of that name that can be set.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "cursor_not_found"
        }
       }
      }
     }
    }
   },
   "not_found.job_not_found": {
    "description": "- `not_found`: There is no such route. A key that is empty or a dot segment makes none either.\n- `job_not_found`: No job has that key, as far as this key's tenant is concerned.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 404
          },
          "code": {
           "enum": [
            "not_found",
            "job_not_found"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "not_found": {
        "value": {
         "type": "/docs#not_found",
         "title": "No such route",
         "status": 404,
         "detail": "There is no such route. A key that is empty or a dot segment makes none either.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "not_found"
        }
       },
       "job_not_found": {
        "value": {
         "type": "/docs#job_not_found",
         "title": "No such job",
         "status": 404,
         "detail": "No job has that key, as far as this key's tenant is concerned.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "job_not_found"
        }
       }
      }
     }
    }
   },
   "not_found.query_job_not_found": {
    "description": "- `not_found`: There is no such route. A key that is empty or a dot segment makes none either.\n- `query_job_not_found`: No query job has that id, as far as this key's tenant is concerned; or it is past its retention.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 404
          },
          "code": {
           "enum": [
            "not_found",
            "query_job_not_found"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "not_found": {
        "value": {
         "type": "/docs#not_found",
         "title": "No such route",
         "status": 404,
         "detail": "There is no such route. A key that is empty or a dot segment makes none either.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "not_found"
        }
       },
       "query_job_not_found": {
        "value": {
         "type": "/docs#query_job_not_found",
         "title": "No such query job",
         "status": 404,
         "detail": "No query job has that id, as far as this key's tenant is concerned; or it is past its retention.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_job_not_found",
         "error": {
          "code": "query_job_not_found",
          "message": "No query job has that id, as far as this key's tenant is concerned; or it is past its retention."
         }
        }
       }
      }
     }
    }
   },
   "not_found.receipt_not_found": {
    "description": "- `not_found`: There is no such route. A key that is empty or a dot segment makes none either.\n- `receipt_not_found`: No receipt has that id, as far as this key's tenant is concerned.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 404
          },
          "code": {
           "enum": [
            "not_found",
            "receipt_not_found"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "not_found": {
        "value": {
         "type": "/docs#not_found",
         "title": "No such route",
         "status": 404,
         "detail": "There is no such route. A key that is empty or a dot segment makes none either.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "not_found"
        }
       },
       "receipt_not_found": {
        "value": {
         "type": "/docs#receipt_not_found",
         "title": "No such receipt",
         "status": 404,
         "detail": "No receipt has that id, as far as this key's tenant is concerned.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "receipt_not_found"
        }
       }
      }
     }
    }
   },
   "not_leasable": {
    "description": "- `not_leasable`: The job is not ready, or another's lease on it stands.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "not_leasable"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "not_leasable": {
        "value": {
         "type": "/docs#not_leasable",
         "title": "The job cannot be leased now",
         "status": 409,
         "detail": "The job is not ready, or another's lease on it stands.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "not_leasable",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "operation_expired": {
    "description": "- `operation_expired`: The operation is past its retention, or was erased, as `erased` tells. `outcome` is what was kept. It never runs again.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 410
          },
          "code": {
           "enum": [
            "operation_expired"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "operation_expired": {
        "value": {
         "type": "/docs#operation_expired",
         "title": "The operation is over and forgotten",
         "status": 410,
         "detail": "The operation is past its retention, or was erased, as erased tells. outcome is what was kept. It never runs again.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "operation_expired",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "operation_receipt_capacity.throttled": {
    "description": "- `operation_receipt_capacity`: The workspace has as many receipts as it may have. Nothing was written.\n- `throttled`: The storage refused for load. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 429
          },
          "code": {
           "enum": [
            "operation_receipt_capacity",
            "throttled"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "operation_receipt_capacity": {
        "value": {
         "type": "/docs#operation_receipt_capacity",
         "title": "The workspace has no room for another receipt",
         "status": 429,
         "detail": "The workspace has as many receipts as it may have. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "operation_receipt_capacity",
         "retryAfterMs": 60000
        }
       },
       "throttled": {
        "value": {
         "type": "/docs#throttled",
         "title": "Too much at once",
         "status": 429,
         "detail": "The storage refused for load. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "throttled",
         "retryAfterMs": 1000
        }
       }
      }
     }
    }
   },
   "provider_orphan_fence.job_identity_conflict.job_generation_active.job_generation_out_of_order": {
    "description": "- `provider_orphan_fence`: A run of this session was interrupted, and its provider may still be at work: until then nobody else may use the session. Nothing was written.\n- `job_identity_conflict`: The client job id and generation are bound to another request. Nothing was written.\n- `job_generation_active`: An earlier generation of the client job has not ended. Nothing was written.\n- `job_generation_out_of_order`: The client job has had this generation or a later one. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "provider_orphan_fence",
            "job_identity_conflict",
            "job_generation_active",
            "job_generation_out_of_order"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "provider_orphan_fence": {
        "value": {
         "type": "/docs#provider_orphan_fence",
         "title": "The session is held",
         "status": 409,
         "detail": "A run of this session was interrupted, and its provider may still be at work: until then nobody else may use the session. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "provider_orphan_fence",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "provider_orphan_fence",
          "message": "A run of this session was interrupted, and its provider may still be at work: until then nobody else may use the session. Nothing was written."
         }
        }
       },
       "job_identity_conflict": {
        "value": {
         "type": "/docs#job_identity_conflict",
         "title": "The id belongs to another request",
         "status": 409,
         "detail": "The client job id and generation are bound to another request. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "job_identity_conflict",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "job_identity_conflict",
          "message": "The client job id and generation are bound to another request. Nothing was written."
         }
        }
       },
       "job_generation_active": {
        "value": {
         "type": "/docs#job_generation_active",
         "title": "An earlier generation has not ended",
         "status": 409,
         "detail": "An earlier generation of the client job has not ended. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "job_generation_active",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "job_generation_active",
          "message": "An earlier generation of the client job has not ended. Nothing was written."
         }
        }
       },
       "job_generation_out_of_order": {
        "value": {
         "type": "/docs#job_generation_out_of_order",
         "title": "The generation is not a later one",
         "status": 409,
         "detail": "The client job has had this generation or a later one. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "job_generation_out_of_order",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "job_generation_out_of_order",
          "message": "The client job has had this generation or a later one. Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "query_job_generation_mismatch": {
    "description": "- `query_job_generation_mismatch`: The job is of another generation of its client job. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "query_job_generation_mismatch"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "query_job_generation_mismatch": {
        "value": {
         "type": "/docs#query_job_generation_mismatch",
         "title": "The query job is of another generation",
         "status": 409,
         "detail": "The job is of another generation of its client job. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_job_generation_mismatch",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "query_job_generation_mismatch",
          "message": "The job is of another generation of its client job. Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "query_job_generation_mismatch.provider_orphan_fence": {
    "description": "- `query_job_generation_mismatch`: The job is of another generation of its client job. Nothing was written.\n- `provider_orphan_fence`: A run of this session was interrupted, and its provider may still be at work: until then nobody else may use the session. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "query_job_generation_mismatch",
            "provider_orphan_fence"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "query_job_generation_mismatch": {
        "value": {
         "type": "/docs#query_job_generation_mismatch",
         "title": "The query job is of another generation",
         "status": 409,
         "detail": "The job is of another generation of its client job. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_job_generation_mismatch",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "query_job_generation_mismatch",
          "message": "The job is of another generation of its client job. Nothing was written."
         }
        }
       },
       "provider_orphan_fence": {
        "value": {
         "type": "/docs#provider_orphan_fence",
         "title": "The session is held",
         "status": 409,
         "detail": "A run of this session was interrupted, and its provider may still be at work: until then nobody else may use the session. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "provider_orphan_fence",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "provider_orphan_fence",
          "message": "A run of this session was interrupted, and its provider may still be at work: until then nobody else may use the session. Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "query_job_generation_mismatch.query_job_answer_committing": {
    "description": "- `query_job_generation_mismatch`: The job is of another generation of its client job. Nothing was written.\n- `query_job_answer_committing`: The answer is committed, and the job can only complete. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "query_job_generation_mismatch",
            "query_job_answer_committing"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "query_job_generation_mismatch": {
        "value": {
         "type": "/docs#query_job_generation_mismatch",
         "title": "The query job is of another generation",
         "status": 409,
         "detail": "The job is of another generation of its client job. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_job_generation_mismatch",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "query_job_generation_mismatch",
          "message": "The job is of another generation of its client job. Nothing was written."
         }
        }
       },
       "query_job_answer_committing": {
        "value": {
         "type": "/docs#query_job_answer_committing",
         "title": "The answer is committed",
         "status": 409,
         "detail": "The answer is committed, and the job can only complete. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_job_answer_committing",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "query_job_answer_committing",
          "message": "The answer is committed, and the job can only complete. Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "query_job_generation_mismatch.query_job_not_terminal": {
    "description": "- `query_job_generation_mismatch`: The job is of another generation of its client job. Nothing was written.\n- `query_job_not_terminal`: The job has not ended; `jobStatus` tells where it is. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "query_job_generation_mismatch",
            "query_job_not_terminal"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "query_job_generation_mismatch": {
        "value": {
         "type": "/docs#query_job_generation_mismatch",
         "title": "The query job is of another generation",
         "status": 409,
         "detail": "The job is of another generation of its client job. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_job_generation_mismatch",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "query_job_generation_mismatch",
          "message": "The job is of another generation of its client job. Nothing was written."
         }
        }
       },
       "query_job_not_terminal": {
        "value": {
         "type": "/docs#query_job_not_terminal",
         "title": "The query job has not ended",
         "status": 409,
         "detail": "The job has not ended; jobStatus tells where it is. Nothing was written.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_job_not_terminal",
         "jobStatus": "completed",
         "updatedAt": "2026-01-31T09:00:02.000Z",
         "error": {
          "code": "query_job_not_terminal",
          "message": "The job has not ended; jobStatus tells where it is. Nothing was written."
         }
        }
       }
      }
     }
    }
   },
   "query_job_not_found": {
    "description": "- `query_job_not_found`: No query job has that id, as far as this key's tenant is concerned; or it is past its retention.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 404
          },
          "code": {
           "enum": [
            "query_job_not_found"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "query_job_not_found": {
        "value": {
         "type": "/docs#query_job_not_found",
         "title": "No such query job",
         "status": 404,
         "detail": "No query job has that id, as far as this key's tenant is concerned; or it is past its retention.",
         "instance": "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
         "code": "query_job_not_found",
         "error": {
          "code": "query_job_not_found",
          "message": "No query job has that id, as far as this key's tenant is concerned; or it is past its retention."
         }
        }
       }
      }
     }
    }
   },
   "state_mismatch": {
    "description": "- `state_mismatch`: The job is in none of the states that were named, or is leased and moves by its token only. `state` and `updatedAt` tell how it was found. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "state_mismatch"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "state_mismatch": {
        "value": {
         "type": "/docs#state_mismatch",
         "title": "The job is in another state",
         "status": 409,
         "detail": "The job is in none of the states that were named, or is leased and moves by its token only. state and updatedAt tell how it was found. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "state_mismatch",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "state_mismatch.invalid_transition": {
    "description": "- `state_mismatch`: The job is in none of the states that were named, or is leased and moves by its token only. `state` and `updatedAt` tell how it was found. Nothing was written.\n- `invalid_transition`: The job is in a named state, but there is no move from it to that one.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "state_mismatch",
            "invalid_transition"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "state_mismatch": {
        "value": {
         "type": "/docs#state_mismatch",
         "title": "The job is in another state",
         "status": 409,
         "detail": "The job is in none of the states that were named, or is leased and moves by its token only. state and updatedAt tell how it was found. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "state_mismatch",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       },
       "invalid_transition": {
        "value": {
         "type": "/docs#invalid_transition",
         "title": "There is no such move",
         "status": 409,
         "detail": "The job is in a named state, but there is no move from it to that one.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "invalid_transition",
         "state": "sent",
         "updatedAt": "2026-01-31T09:00:02.000Z"
        }
       }
      }
     }
    }
   },
   "throttled": {
    "description": "- `throttled`: The storage refused for load. Nothing was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 429
          },
          "code": {
           "enum": [
            "throttled"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "throttled": {
        "value": {
         "type": "/docs#throttled",
         "title": "Too much at once",
         "status": 429,
         "detail": "The storage refused for load. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "throttled",
         "retryAfterMs": 1000
        }
       }
      }
     }
    }
   },
   "unauthorized": {
    "description": "- `unauthorized`: There is no key in the request, or none that this service knows. Nothing was done.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     },
     "WWW-Authenticate": {
      "$ref": "#/components/headers/WWW-Authenticate"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 401
          },
          "code": {
           "enum": [
            "unauthorized"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "unauthorized": {
        "value": {
         "type": "/docs#unauthorized",
         "title": "No valid key",
         "status": 401,
         "detail": "There is no key in the request, or none that this service knows. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "unauthorized"
        }
       }
      }
     }
    }
   },
   "unavailable": {
    "description": "- `unavailable`: The storage does not answer as it should. `detail` tells whether something was written.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 503
          },
          "code": {
           "enum": [
            "unavailable"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "unavailable": {
        "value": {
         "type": "/docs#unavailable",
         "title": "The storage is unavailable",
         "status": 503,
         "detail": "The storage does not answer as it should. detail tells whether something was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "unavailable",
         "retryAfterMs": 1000
        }
       }
      }
     }
    }
   },
   "unavailable.misconfigured": {
    "description": "- `unavailable`: The storage does not answer as it should. `detail` tells whether something was written.\n- `misconfigured`: The service or its storage cannot be used as it is configured.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 503
          },
          "code": {
           "enum": [
            "unavailable",
            "misconfigured"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "unavailable": {
        "value": {
         "type": "/docs#unavailable",
         "title": "The storage is unavailable",
         "status": 503,
         "detail": "The storage does not answer as it should. detail tells whether something was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "unavailable",
         "retryAfterMs": 1000
        }
       },
       "misconfigured": {
        "value": {
         "type": "/docs#misconfigured",
         "title": "The service is misconfigured",
         "status": 503,
         "detail": "The service or its storage cannot be used as it is configured.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "misconfigured",
         "retryAfterMs": 60000
        }
       }
      }
     }
    }
   },
   "unavailable.outcome_unknown.contended.misconfigured": {
    "description": "- `unavailable`: The storage does not answer as it should. `detail` tells whether something was written.\n- `outcome_unknown`: It may have been done or not, now or later.\n- `contended`: Others kept changing the same record until the time was up. Nothing was written.\n- `misconfigured`: The service or its storage cannot be used as it is configured.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 503
          },
          "code": {
           "enum": [
            "unavailable",
            "outcome_unknown",
            "contended",
            "misconfigured"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "unavailable": {
        "value": {
         "type": "/docs#unavailable",
         "title": "The storage is unavailable",
         "status": 503,
         "detail": "The storage does not answer as it should. detail tells whether something was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "unavailable",
         "retryAfterMs": 1000
        }
       },
       "outcome_unknown": {
        "value": {
         "type": "/docs#outcome_unknown",
         "title": "The outcome is not known",
         "status": 503,
         "detail": "It may have been done or not, now or later.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "outcome_unknown",
         "retryAfterMs": 1000
        }
       },
       "contended": {
        "value": {
         "type": "/docs#contended",
         "title": "Too many writers of one record",
         "status": 503,
         "detail": "Others kept changing the same record until the time was up. Nothing was written.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "contended",
         "retryAfterMs": 1000
        }
       },
       "misconfigured": {
        "value": {
         "type": "/docs#misconfigured",
         "title": "The service is misconfigured",
         "status": 503,
         "detail": "The service or its storage cannot be used as it is configured.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "misconfigured",
         "retryAfterMs": 60000
        }
       }
      }
     }
    }
   },
   "unsupported_media_type": {
    "description": "- `unsupported_media_type`: The body is not declared as JSON in UTF-8. Nothing was done.",
    "headers": {
     "X-Request-Id": {
      "$ref": "#/components/headers/X-Request-Id"
     },
     "Accept": {
      "$ref": "#/components/headers/Accept"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 415
          },
          "code": {
           "enum": [
            "unsupported_media_type"
           ]
          }
         }
        }
       ]
      },
      "examples": {
       "unsupported_media_type": {
        "value": {
         "type": "/docs#unsupported_media_type",
         "title": "The body is not application/json",
         "status": 415,
         "detail": "The body is not declared as JSON in UTF-8. Nothing was done.",
         "instance": "/v1/emails/welcome%3Aann%40example.com",
         "code": "unsupported_media_type"
        }
       }
      }
     }
    }
   }
  },
  "schemas": {
   "BatchAnswer": {
    "type": "object",
    "properties": {
     "results": {
      "description": "In the order of the items.",
      "type": "array",
      "items": {
       "anyOf": [
        {
         "$ref": "#/components/schemas/CreatedJob"
        },
        {
         "type": "object",
         "properties": {
          "problem": {
           "$ref": "#/components/schemas/Problem"
          }
         },
         "required": [
          "problem"
         ]
        }
       ]
      }
     }
    },
    "required": [
     "results"
    ]
   },
   "ChangedQuery": {
    "type": "object",
    "properties": {
     "applied": {
      "type": "boolean",
      "description": "False: nothing changed, and nothing was written."
     },
     "job": {
      "$ref": "#/components/schemas/QueryJob"
     }
    },
    "required": [
     "applied",
     "job"
    ]
   },
   "ClaimAnswer": {
    "type": "object",
    "properties": {
     "job": {
      "$ref": "#/components/schemas/Job"
     },
     "claimToken": {
      "type": "string",
      "description": "Tells this claim from every other."
     }
    },
    "required": [
     "job",
     "claimToken"
    ]
   },
   "Collected": {
    "type": "object",
    "properties": {
     "examined": {
      "type": "integer",
      "description": "Logs of query jobs on this page of the walk."
     },
     "removed": {
      "type": "integer",
      "description": "Of them, those that belong to no job, and that are gone now."
     },
     "corrupt": {
      "type": "integer",
      "description": "Logs that cannot be read, and were left as they are."
     },
     "isComplete": {
      "type": "boolean",
      "description": "Whether the walk came to its end; the next call begins anew."
     }
    },
    "required": [
     "examined",
     "removed",
     "corrupt",
     "isComplete"
    ]
   },
   "ConfigAnswer": {
    "type": "object",
    "properties": {
     "config": {
      "type": "object",
      "properties": {
       "enabledAt": {
        "type": "string",
        "description": "Nothing that happened before is mailed about; set once."
       },
       "reconciliationCursor": {
        "anyOf": [
         {
          "type": "object",
          "properties": {
           "createdAt": {
            "type": "string"
           },
           "id": {
            "type": "string"
           }
          },
          "required": [
           "createdAt",
           "id"
          ]
         },
         {
          "type": "null"
         }
        ],
        "description": "The last row that the scan has seen; null: begin again at `enabledAt`."
       },
       "shareDiscoveryCursor": {
        "anyOf": [
         {
          "type": "object",
          "properties": {
           "createdAt": {
            "type": "string"
           },
           "id": {
            "type": "string"
           }
          },
          "required": [
           "createdAt",
           "id"
          ]
         },
         {
          "type": "null"
         }
        ],
        "description": "The last row that the scan has seen; null: begin again at `enabledAt`."
       },
       "reminderCursor": {
        "anyOf": [
         {
          "type": "object",
          "properties": {
           "createdAt": {
            "type": "string"
           },
           "id": {
            "type": "string"
           }
          },
          "required": [
           "createdAt",
           "id"
          ]
         },
         {
          "type": "null"
         }
        ],
        "description": "The last row that the scan has seen; null: begin again at `enabledAt`."
       },
       "firstViewCursor": {
        "anyOf": [
         {
          "type": "object",
          "properties": {
           "createdAt": {
            "type": "string"
           },
           "id": {
            "type": "string"
           }
          },
          "required": [
           "createdAt",
           "id"
          ]
         },
         {
          "type": "null"
         }
        ],
        "description": "The last row that the scan has seen; null: begin again at `enabledAt`."
       },
       "firstImportCursor": {
        "anyOf": [
         {
          "type": "object",
          "properties": {
           "createdAt": {
            "type": "string"
           },
           "id": {
            "type": "string"
           }
          },
          "required": [
           "createdAt",
           "id"
          ]
         },
         {
          "type": "null"
         }
        ],
        "description": "The last row that the scan has seen; null: begin again at `enabledAt`."
       }
      },
      "required": [
       "enabledAt"
      ]
     }
    },
    "required": [
     "config"
    ]
   },
   "CreatedJob": {
    "type": "object",
    "properties": {
     "created": {
      "type": "boolean",
      "description": "Whether this call made it."
     },
     "job": {
      "$ref": "#/components/schemas/Job"
     }
    },
    "required": [
     "created",
     "job"
    ]
   },
   "DispatchAnswer": {
    "type": "object",
    "properties": {
     "receipt": {
      "$ref": "#/components/schemas/Receipt"
     },
     "owned": {
      "type": "boolean",
      "description": "Whether this caller, and nobody else, runs the side effect."
     },
     "dispatchToken": {
      "description": "The owner's credential; null for others.",
      "type": [
       "string",
       "null"
      ]
     }
    },
    "required": [
     "receipt",
     "owned",
     "dispatchToken"
    ]
   },
   "EnqueueRequest": {
    "type": "object",
    "properties": {
     "logicalKey": {
      "type": "string",
      "description": "1 to 1,024 UTF-8 bytes after trimming, not `sha256:` and 64 hex digits. One key, one email.",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
     },
     "payload": {
      "$ref": "#/components/schemas/EmailPayload"
     },
     "initialState": {
      "description": "`pending` by default; `awaiting_ai` for a kind that waits for a text.",
      "type": "string",
      "enum": [
       "pending",
       "awaiting_ai"
      ]
     },
     "notBefore": {
      "description": "Not leased as due before; 1970 to 2286.",
      "type": "string",
      "format": "date-time",
      "pattern": "^(19[7-9]\\d|2[01]\\d\\d|22[0-7]\\d|228[0-5])-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$"
     },
     "onPayloadMismatch": {
      "description": "When the key has a job of another payload: answer that (default), or refuse.",
      "type": "string",
      "enum": [
       "return",
       "conflict"
      ]
     }
    },
    "required": [
     "logicalKey",
     "payload"
    ],
    "additionalProperties": false
   },
   "Erased": {
    "type": "object",
    "properties": {
     "machine": {
      "type": "string",
      "enum": [
       "emails",
       "receipts",
       "queries"
      ]
     },
     "id": {
      "type": "string",
      "description": "Names what is left of the record in every route of its machine."
     },
     "state": {
      "type": "string",
      "description": "In which it was."
     },
     "updatedAt": {
      "type": "string",
      "format": "date-time",
      "description": "When it was erased; of a query, when it last changed before."
     }
    },
    "required": [
     "machine",
     "id",
     "state",
     "updatedAt"
    ]
   },
   "FoundJob": {
    "type": "object",
    "properties": {
     "job": {
      "$ref": "#/components/schemas/Job"
     },
     "dueAt": {
      "anyOf": [
       {
        "type": "string",
        "format": "date-time"
       },
       {
        "type": "null"
       }
      ],
      "description": "When it is looked at next by itself; null when it waits for somebody, or is over."
     }
    },
    "required": [
     "job",
     "dueAt"
    ]
   },
   "Health": {
    "type": "object",
    "properties": {
     "emails": {
      "$ref": "#/components/schemas/MachineHealth"
     },
     "receipts": {
      "$ref": "#/components/schemas/ReceiptHealth"
     },
     "queries": {
      "$ref": "#/components/schemas/QueriesHealth"
     }
    },
    "required": [
     "emails",
     "receipts",
     "queries"
    ]
   },
   "Job": {
    "type": "object",
    "properties": {
     "logicalKey": {
      "type": "string",
      "description": "Names the job; trimmed."
     },
     "type": {
      "type": "string",
      "description": "The kind of email."
     },
     "state": {
      "type": "string",
      "enum": [
       "pending",
       "awaiting_ai",
       "ai_dispatched",
       "ready",
       "sending",
       "sent",
       "cancelled",
       "failed"
      ],
      "description": "`sent` is final; `failed` leaves by a requeue only."
     },
     "recipient": {
      "type": "string",
      "description": "To whom the email goes, as it was given."
     },
     "recordingIds": {
      "description": "Of the kinds about recordings.",
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "shareId": {
      "description": "Of the kinds about recordings.",
      "type": "string"
     },
     "requestedBy": {
      "description": "Of the kinds about recordings.",
      "type": "string"
     },
     "generatedSummary": {
      "description": "The text that was handed in for a kind that waits for one.",
      "type": "string"
     },
     "attempts": {
      "type": "integer",
      "description": "Leases so far, not sends."
     },
     "createdAt": {
      "type": "string",
      "format": "date-time",
      "description": "When the job was first made; converging keeps it."
     },
     "updatedAt": {
      "type": "string",
      "format": "date-time",
      "description": "Of the last change."
     },
     "aiDispatchedAt": {
      "description": "When its text was last claimed.",
      "type": "string",
      "format": "date-time"
     },
     "aiClaimedBy": {
      "description": "Who claimed it: an email address.",
      "type": "string"
     },
     "readyAt": {
      "description": "When it became, or becomes, due.",
      "type": "string",
      "format": "date-time"
     },
     "sendingAt": {
      "description": "When it was last leased.",
      "type": "string",
      "format": "date-time"
     },
     "sentAt": {
      "type": "string",
      "format": "date-time"
     },
     "cancelledAt": {
      "type": "string",
      "format": "date-time"
     },
     "failedAt": {
      "type": "string",
      "format": "date-time"
     },
     "lastError": {
      "description": "What the last settlement or move said went wrong.",
      "type": [
       "string",
       "null"
      ]
     },
     "leaseUntil": {
      "anyOf": [
       {
        "type": "string",
        "format": "date-time"
       },
       {
        "type": "null"
       }
      ],
      "description": "Set exactly while `sending`."
     },
     "leaseToken": {
      "description": "The credential of the lease; null for keys without `emails:write`.",
      "type": [
       "string",
       "null"
      ]
     }
    },
    "required": [
     "logicalKey",
     "type",
     "state",
     "recipient",
     "attempts",
     "createdAt",
     "updatedAt",
     "lastError",
     "leaseUntil",
     "leaseToken"
    ],
    "additionalProperties": {},
    "description": "An email job. Its payload's own fields stand beside these."
   },
   "JobAnswer": {
    "type": "object",
    "properties": {
     "job": {
      "$ref": "#/components/schemas/Job"
     }
    },
    "required": [
     "job"
    ]
   },
   "JobPage": {
    "type": "object",
    "properties": {
     "jobs": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/Job"
      }
     },
     "nextCursor": {
      "description": "Null when nothing follows. A page may be short, even empty, and have one.",
      "type": [
       "string",
       "null"
      ]
     },
     "corrupt": {
      "description": "Records met that cannot be read; they are left as they are.",
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "id": {
         "type": "string",
         "description": "Of the record in its collection."
        },
        "reason": {
         "type": "string",
         "description": "What is wrong, without anything of its content."
        }
       },
       "required": [
        "id",
        "reason"
       ]
      }
     }
    },
    "required": [
     "jobs",
     "nextCursor",
     "corrupt"
    ]
   },
   "LeasedJobs": {
    "type": "object",
    "properties": {
     "jobs": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/Job"
      }
     }
    },
    "required": [
     "jobs"
    ]
   },
   "MachineHealth": {
    "type": "object",
    "properties": {
     "deliver": {
      "description": "Ready, or leased and run out.",
      "$ref": "#/components/schemas/QueueHealth"
     },
     "attend": {
      "description": "Everything else that waits for time.",
      "$ref": "#/components/schemas/QueueHealth"
     },
     "stuck": {
      "description": "Waits for a person.",
      "$ref": "#/components/schemas/QueueHealth"
     },
     "counters": {
      "type": "object",
      "properties": {
       "corruptRecords": {
        "type": "integer",
        "description": "Unreadable records met; one may be met often."
       },
       "contended": {
        "type": "integer",
        "description": "Writes given up because others kept changing the record."
       },
       "unknownOutcomes": {
        "type": "integer",
        "description": "Writes of which nobody knows whether they happened."
       },
       "leasesLost": {
        "type": "integer",
        "description": "Calls with the token of a lease that was not current."
       },
       "mailerUnavailable": {
        "type": "integer",
        "description": "Passes that found the mailer unavailable."
       }
      },
      "required": [
       "corruptRecords",
       "contended",
       "unknownOutcomes",
       "leasesLost",
       "mailerUnavailable"
      ],
      "description": "What this process met since it started."
     }
    },
    "required": [
     "deliver",
     "attend",
     "stuck",
     "counters"
    ]
   },
   "NotedReceipt": {
    "type": "object",
    "properties": {
     "receipt": {
      "$ref": "#/components/schemas/Receipt"
     },
     "notes": {
      "description": "Reports of the caller that came after the resolution, and changed nothing.",
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "at": {
         "type": "integer"
        },
        "kind": {
         "type": "string",
         "enum": [
          "confirmation",
          "contradiction"
         ]
        },
        "result": {
         "description": "Left out where there was no room for it."
        }
       },
       "required": [
        "at",
        "kind"
       ]
      }
     }
    },
    "required": [
     "receipt",
     "notes"
    ]
   },
   "PassReport": {
    "type": "object",
    "properties": {
     "emails": {
      "type": "object",
      "properties": {
       "discovered": {
        "type": "integer",
        "description": "Jobs that sources named, new or not."
       },
       "enqueued": {
        "type": "integer",
        "description": "Of them, those that were made, or turned to another recording."
       },
       "promoted": {
        "type": "integer",
        "description": "Made ready."
       },
       "sent": {
        "type": "integer"
       },
       "retried": {
        "type": "integer",
        "description": "Ready again after an attempt that failed."
       },
       "failed": {
        "type": "integer"
       },
       "cancelled": {
        "type": "integer",
        "description": "Not valid any more when they were to be sent."
       },
       "retired": {
        "type": "integer",
        "description": "Past their retention, replaced by tombstones."
       },
       "stale": {
        "type": "integer",
        "description": "Claimed for their text more than 30 minutes ago; left as they are."
       },
       "skipped": {
        "type": "integer",
        "description": "For addresses that are never mailed, or left to other workers."
       }
      },
      "required": [
       "discovered",
       "enqueued",
       "promoted",
       "sent",
       "retried",
       "failed",
       "cancelled",
       "retired",
       "stale",
       "skipped"
      ],
      "description": "Each counted when the storage had it."
     },
     "receipts": {
      "type": "object",
      "properties": {
       "recovered": {
        "type": "integer",
        "description": "Lapsed dispatches, whose outcome is unknown now."
       },
       "retired": {
        "type": "integer",
        "description": "Past their retention, replaced by tombstones."
       }
      },
      "required": [
       "recovered",
       "retired"
      ]
     },
     "queries": {
      "type": "object",
      "properties": {
       "completed": {
        "type": "integer",
        "description": "Their answer was ready, and their runner not heard of any more."
       },
       "interrupted": {
        "type": "integer",
        "description": "Their runner was not heard of any more."
       },
       "retired": {
        "type": "integer",
        "description": "Client jobs of which something is past its retention, and gone."
       }
      },
      "required": [
       "completed",
       "interrupted",
       "retired"
      ]
     },
     "failures": {
      "description": "What went wrong and stopped nothing else; at most 100, each told once.",
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "machine": {
         "type": "string",
         "enum": [
          "emails",
          "receipts",
          "queries"
         ]
        },
        "tenant": {
         "type": [
          "string",
          "null"
         ]
        },
        "id": {
         "type": "string",
         "description": "A record, a source, or a part of the pass."
        },
        "code": {
         "type": "string",
         "enum": [
          "source_timeout",
          "source_failed",
          "source_unfinished",
          "source_invalid_page",
          "source_page_too_long",
          "source_cursor_stuck",
          "source_invalid_job",
          "prepare_timeout",
          "prepare_failed",
          "invalid_content",
          "out_of_time",
          "lease_over",
          "lease_lost",
          "mailer_timeout",
          "mailer_failed",
          "mailer_unavailable",
          "store_timeout",
          "unavailable",
          "throttled",
          "outcome_unknown",
          "contended",
          "record_corrupt",
          "record_too_large",
          "job_not_found",
          "config_not_found",
          "misconfigured",
          "folder_in_use",
          "unexpected"
         ]
        },
        "count": {
         "type": "integer",
         "description": "How often; 1 or more."
        },
        "why": {
         "type": "string",
         "description": "What the code means. Nothing of any job's content."
        },
        "action": {
         "type": "string",
         "description": "What a person can do about it."
        }
       },
       "required": [
        "machine",
        "tenant",
        "id",
        "code",
        "count",
        "why",
        "action"
       ]
      }
     },
     "failuresLeftOut": {
      "type": "integer",
      "description": "How many more times something went wrong."
     },
     "hasMore": {
      "type": "boolean",
      "description": "Whether another pass would find more to do now."
     }
    },
    "required": [
     "emails",
     "receipts",
     "queries",
     "failures",
     "failuresLeftOut",
     "hasMore"
    ]
   },
   "PrepareRequest": {
    "type": "object",
    "properties": {
     "principalId": {
      "description": "On whose behalf; `default`.",
      "type": "string",
      "minLength": 1,
      "maxLength": 256,
      "pattern": "^[^\\u0000]*$"
     },
     "workspaceId": {
      "description": "Counted together; `default`.",
      "type": "string",
      "minLength": 1,
      "maxLength": 256,
      "pattern": "^[^\\u0000]*$"
     },
     "sessionId": {
      "description": "`default`.",
      "type": "string",
      "maxLength": 128,
      "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]*$"
     },
     "memberId": {
      "description": "`default`.",
      "type": "string",
      "maxLength": 128,
      "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]*$"
     },
     "memberGeneration": {
      "description": "1.",
      "type": "integer",
      "minimum": 1,
      "maximum": 9007199254740991
     },
     "tool": {
      "description": "`custom`; with `action` it says what results there are.",
      "type": "string",
      "maxLength": 128,
      "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]*$"
     },
     "action": {
      "description": "`call`.",
      "type": "string",
      "maxLength": 128,
      "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]*$"
     },
     "operationId": {
      "type": "string",
      "maxLength": 128,
      "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]*$",
      "description": "The caller's own; one id is one payload."
     },
     "payload": {
      "description": "Hashed and not stored; any JSON. Either this or `payloadHash`. An integer that a double does not keep, such as 9007199254740993, is refused here as in every body: send it as a string."
     },
     "payloadHash": {
      "description": "Of the canonical text of the payload: hex SHA-256.",
      "type": "string",
      "pattern": "^[0-9a-f]{64}$"
     }
    },
    "required": [
     "operationId"
    ],
    "additionalProperties": false,
    "oneOf": [
     {
      "required": [
       "payload"
      ]
     },
     {
      "required": [
       "payloadHash"
      ]
     }
    ]
   },
   "PreparedReceipt": {
    "type": "object",
    "properties": {
     "created": {
      "type": "boolean",
      "description": "Whether this call made it."
     },
     "receipt": {
      "$ref": "#/components/schemas/Receipt"
     }
    },
    "required": [
     "created",
     "receipt"
    ]
   },
   "Problem": {
    "type": "object",
    "properties": {
     "type": {
      "type": "string",
      "description": "Where the code is explained."
     },
     "title": {
      "type": "string",
      "description": "The same for every problem of the code."
     },
     "status": {
      "type": "integer",
      "description": "The HTTP status."
     },
     "detail": {
      "type": "string",
      "description": "What happened, for people; its words may change."
     },
     "instance": {
      "type": "string",
      "description": "The path that was asked for."
     },
     "code": {
      "type": "string",
      "description": "Stable; match on this."
     },
     "errors": {
      "description": "What is not valid, at most 20 places.",
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "path": {
         "type": "string",
         "description": "As `a.b[2]`; empty for the whole."
        },
        "message": {
         "type": "string"
        }
       },
       "required": [
        "path",
        "message"
       ]
      }
     },
     "retryAfterMs": {
      "description": "As Retry-After, in milliseconds.",
      "type": "integer"
     },
     "state": {
      "description": "The record's state as it was found.",
      "type": "string"
     },
     "jobStatus": {
      "description": "The query's status as it was found.",
      "type": "string"
     },
     "updatedAt": {
      "description": "Of the record as it was found.",
      "type": "string",
      "format": "date-time"
     },
     "outcome": {
      "description": "What stands for good of an operation that is over, or was resolved.",
      "type": "string"
     },
     "erased": {
      "description": "Of an operation that is over: whether it was erased, rather than past its retention.",
      "type": "boolean"
     },
     "error": {
      "description": "On every query route: the same, for clients that read this alone.",
      "type": "object",
      "properties": {
       "code": {
        "type": "string"
       },
       "message": {
        "type": "string"
       },
       "retryable": {
        "type": "boolean"
       },
       "retryAfterMs": {
        "type": "integer"
       }
      },
      "required": [
       "code",
       "message"
      ]
     }
    },
    "required": [
     "type",
     "title",
     "status",
     "detail",
     "instance",
     "code"
    ],
    "additionalProperties": {},
    "description": "RFC 9457 problem details."
   },
   "QueriesHealth": {
    "type": "object",
    "properties": {
     "attend": {
      "description": "Jobs that wait for a runner, lapsed runs, and what is past its retention.",
      "$ref": "#/components/schemas/QueueHealth"
     },
     "stuck": {
      "description": "Waits for a person.",
      "$ref": "#/components/schemas/QueueHealth"
     },
     "counters": {
      "type": "object",
      "properties": {
       "admitted": {
        "type": "integer",
        "description": "Jobs admitted."
       },
       "duplicates": {
        "type": "integer",
        "description": "Admissions that were answered from what is stored."
       },
       "refused": {
        "type": "integer",
        "description": "Admissions that were refused."
       },
       "completed": {
        "type": "integer"
       },
       "failed": {
        "type": "integer"
       },
       "interrupted": {
        "type": "integer",
        "description": "Their runner was not heard of any more."
       },
       "leasesLost": {
        "type": "integer",
        "description": "Calls with the token of a run that was not current."
       }
      },
      "required": [
       "admitted",
       "duplicates",
       "refused",
       "completed",
       "failed",
       "interrupted",
       "leasesLost"
      ],
      "description": "What this process met since it started."
     }
    },
    "required": [
     "attend",
     "stuck",
     "counters"
    ]
   },
   "QueryAnswer": {
    "type": "object",
    "properties": {
     "job": {
      "$ref": "#/components/schemas/QueryJob"
     }
    },
    "required": [
     "job"
    ]
   },
   "QueryAttachment": {
    "type": "object",
    "properties": {
     "id": {
      "type": "string",
      "description": "`m_` and 24 hex digits.",
      "pattern": "^m_[0-9a-f]{24}$"
     },
     "kind": {
      "type": "string",
      "enum": [
       "user_photo",
       "traffic_frame",
       "generated_visual"
      ]
     },
     "mime": {
      "type": "string",
      "enum": [
       "image/jpeg",
       "image/png"
      ]
     },
     "width": {
      "type": "integer",
      "minimum": 1,
      "maximum": 65535
     },
     "height": {
      "type": "integer",
      "minimum": 1,
      "maximum": 65535
     },
     "createdAt": {
      "type": "string",
      "format": "date-time"
     },
     "label": {
      "type": "string"
     },
     "capturedAt": {
      "type": "string",
      "format": "date-time"
     },
     "expiresAt": {
      "type": "string",
      "format": "date-time"
     }
    },
    "required": [
     "id",
     "kind",
     "mime",
     "width",
     "height",
     "createdAt"
    ],
    "description": "A picture that is kept elsewhere."
   },
   "QueryEvent": {
    "type": "object",
    "properties": {
     "type": {
      "type": "string",
      "enum": [
       "accepted",
       "starting",
       "running",
       "chunk",
       "tool_status",
       "activity_line",
       "answer_ready",
       "completed",
       "failed",
       "canceled",
       "interrupted",
       "acknowledged"
      ]
     },
     "eventSeq": {
      "type": "integer",
      "description": "1, 2, 3, … without a gap."
     },
     "jobId": {
      "type": "string"
     },
     "clientJobId": {
      "type": "string"
     },
     "generation": {
      "type": "integer"
     },
     "status": {
      "type": "string",
      "enum": [
       "accepted",
       "starting",
       "running",
       "answer_ready",
       "completed",
       "failed",
       "canceled",
       "interrupted"
      ],
      "description": "Of the job after the event."
     },
     "at": {
      "type": "string",
      "format": "date-time"
     },
     "data": {
      "type": "object",
      "properties": {},
      "additionalProperties": {},
      "description": "Of its type: a chunk has more of the answer as `text`, an activity `kind` and `text`, an end `error`."
     }
    },
    "required": [
     "type",
     "eventSeq",
     "jobId",
     "clientJobId",
     "generation",
     "status",
     "at",
     "data"
    ],
    "description": "It tells all by itself."
   },
   "QueryEvents": {
    "type": "object",
    "properties": {
     "events": {
      "description": "Those behind `after`, in order.",
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/QueryEvent"
      }
     },
     "gap": {
      "anyOf": [
       {
        "type": "object",
        "properties": {
         "reason": {
          "type": "string",
          "const": "cursor_ahead"
         }
        },
        "required": [
         "reason"
        ]
       },
       {
        "type": "null"
       }
      ],
      "description": "Why there are none, where `after` lies ahead of the job; null otherwise."
     },
     "oldestEventSeq": {
      "type": "integer",
      "description": "Of the events that can be read: always 1."
     },
     "latestEventSeq": {
      "type": "integer"
     },
     "job": {
      "$ref": "#/components/schemas/QueryJob"
     },
     "hasMore": {
      "type": "boolean",
      "description": "Whether there are events behind those of the page."
     }
    },
    "required": [
     "events",
     "gap",
     "oldestEventSeq",
     "latestEventSeq",
     "job",
     "hasMore"
    ]
   },
   "QueryJob": {
    "type": "object",
    "properties": {
     "schemaVersion": {
      "type": "number",
      "const": 1
     },
     "jobId": {
      "type": "string",
      "description": "Names the job in every route."
     },
     "clientJobId": {
      "type": "string"
     },
     "generation": {
      "type": "integer"
     },
     "turnId": {
      "type": "string"
     },
     "requestFingerprint": {
      "type": "string",
      "description": "SHA-256 of the request, in hex."
     },
     "status": {
      "type": "string",
      "enum": [
       "accepted",
       "starting",
       "running",
       "answer_ready",
       "completed",
       "failed",
       "canceled",
       "interrupted"
      ]
     },
     "eventSeq": {
      "type": "integer",
      "description": "The number of its last event."
     },
     "oldestEventSeq": {
      "type": "integer",
      "description": "Of the events that can be read: always 1."
     },
     "sessionId": {
      "type": "string"
     },
     "requestedModel": {
      "type": "string"
     },
     "effort": {
      "type": "string"
     },
     "messageEra": {
      "type": "string"
     },
     "globalMsgNum": {
      "type": "integer"
     },
     "handoffCode": {
      "type": "string"
     },
     "attachments": {
      "description": "Of the request, then of the answer.",
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/QueryAttachment"
      }
     },
     "partialText": {
      "type": "string",
      "description": "The answer so far, at most 128,000 characters."
     },
     "partialTruncated": {
      "type": "boolean",
      "description": "Whether there was more."
     },
     "response": {
      "description": "The answer, of a completed job.",
      "type": "string"
     },
     "responseTruncated": {
      "type": "boolean"
     },
     "outputImageStats": {
      "description": "How the answer's pictures fared.",
      "type": "object",
      "properties": {
       "published": {
        "type": "integer"
       },
       "attached": {
        "type": "integer"
       },
       "rejected": {
        "type": "integer"
       }
      },
      "required": [
       "published",
       "attached",
       "rejected"
      ]
     },
     "error": {
      "description": "Of a job that failed, was canceled or was interrupted.",
      "type": "object",
      "properties": {
       "code": {
        "type": "string"
       },
       "message": {
        "type": "string",
        "description": "Without credentials and paths."
       },
       "retryable": {
        "type": "boolean",
        "const": true
       },
       "retryAfterMs": {
        "type": "integer"
       }
      },
      "required": [
       "code",
       "message"
      ]
     },
     "activity": {
      "description": "What the run told of its work: the last 64.",
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "eventSeq": {
         "type": "integer",
         "description": "Of the last event that told it."
        },
        "at": {
         "type": "string",
         "format": "date-time"
        },
        "kind": {
         "type": "string",
         "enum": [
          "status",
          "input",
          "output",
          "gap"
         ]
        },
        "text": {
         "type": "string"
        },
        "repeatCount": {
         "description": "How often it was told in a row; without it once.",
         "type": "integer"
        }
       },
       "required": [
        "eventSeq",
        "at",
        "kind",
        "text"
       ]
      }
     },
     "acceptedAt": {
      "type": "string",
      "format": "date-time"
     },
     "startedAt": {
      "type": "string",
      "format": "date-time"
     },
     "answerReadyAt": {
      "type": "string",
      "format": "date-time"
     },
     "providerOwnershipConfirmedAt": {
      "description": "Since when the run is known to be its provider's only one.",
      "type": "string",
      "format": "date-time"
     },
     "updatedAt": {
      "type": "string",
      "format": "date-time"
     },
     "completedAt": {
      "description": "When it ended, however.",
      "type": "string",
      "format": "date-time"
     },
     "acknowledgedAt": {
      "description": "When its reader had the end.",
      "type": "string",
      "format": "date-time"
     },
     "orphanFenceUntil": {
      "description": "Of an interrupted job: until when its session is held at most. It is free once its runner is known to have let go.",
      "type": "string",
      "format": "date-time"
     },
     "retentionUntil": {
      "type": "string",
      "format": "date-time",
      "description": "From then on the job is gone, if it has ended."
     },
     "provider": {
      "type": "string",
      "enum": [
       "claude",
       "codex"
      ]
     },
     "resolvedModel": {
      "type": "string"
     },
     "cliSessionId": {
      "type": "string"
     },
     "claudeRunId": {
      "type": "string"
     },
     "codexRunId": {
      "type": "string"
     },
     "codexThreadId": {
      "type": "string"
     }
    },
    "required": [
     "schemaVersion",
     "jobId",
     "clientJobId",
     "generation",
     "turnId",
     "requestFingerprint",
     "status",
     "eventSeq",
     "oldestEventSeq",
     "sessionId",
     "attachments",
     "partialText",
     "partialTruncated",
     "activity",
     "acceptedAt",
     "updatedAt",
     "retentionUntil"
    ],
    "description": "A query job. It never holds what was asked."
   },
   "QueryPage": {
    "type": "object",
    "properties": {
     "jobs": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/QueryJob"
      }
     },
     "nextCursor": {
      "description": "Null when nothing follows. A page may be short, even empty, and have one.",
      "type": [
       "string",
       "null"
      ]
     },
     "corrupt": {
      "description": "Records met that cannot be read; they are left as they are.",
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "id": {
         "type": "string",
         "description": "Of the record in its collection."
        },
        "reason": {
         "type": "string",
         "description": "What is wrong, without anything of its content."
        }
       },
       "required": [
        "id",
        "reason"
       ]
      }
     }
    },
    "required": [
     "jobs",
     "nextCursor",
     "corrupt"
    ]
   },
   "QueryRequest": {
    "type": "object",
    "properties": {
     "clientJobId": {
      "type": "string"
     },
     "generation": {
      "type": "integer"
     },
     "query": {
      "type": "string"
     },
     "sessionId": {
      "type": "string"
     },
     "model": {
      "type": "string"
     },
     "effort": {
      "type": "string"
     },
     "messageEra": {
      "type": "string"
     },
     "globalMsgNum": {
      "type": "integer"
     },
     "handoffCode": {
      "type": "string"
     },
     "handoffLatest": {
      "type": "boolean",
      "const": true
     },
     "clientQueueItemId": {
      "type": "string"
     },
     "reference": {
      "type": "object",
      "properties": {
       "query": {
        "type": "string"
       },
       "response": {
        "type": "string"
       }
      },
      "required": [
       "query",
       "response"
      ]
     },
     "attachmentIds": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "attachmentRefs": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/QueryAttachment"
      }
     },
     "activityToolMode": {
      "type": "string",
      "enum": [
       "off",
       "preview",
       "status"
      ]
     }
    },
    "required": [
     "clientJobId",
     "generation",
     "query",
     "sessionId",
     "attachmentIds",
     "attachmentRefs",
     "activityToolMode"
    ],
    "description": "What was asked. Not to be shown."
   },
   "QuerySubmission": {
    "type": "object",
    "properties": {
     "clientJobId": {
      "type": "string",
      "description": "The client's own UUID of version 4, kept for repeats and later generations.",
      "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
     },
     "generation": {
      "type": "integer",
      "minimum": 1,
      "maximum": 9007199254740991,
      "description": "Which attempt of the client job: 1, then higher."
     },
     "query": {
      "type": "string",
      "description": "The prompt. May be blank where there is an attachment.",
      "maxLength": 48000
     },
     "sessionId": {
      "type": "string",
      "description": "The conversation that it belongs to; one run of a session at a time.",
      "pattern": "^[A-Za-z0-9][A-Za-z0-9._:@/-]*$",
      "maxLength": 128
     },
     "model": {
      "description": "Which model is wanted. At most 64 characters; null or empty: none.",
      "anyOf": [
       {
        "type": "string",
        "pattern": "^$|[^\\s\\u0000-\\u001f\\u007f]",
        "maxLength": 64
       },
       {
        "type": "null"
       }
      ]
     },
     "effort": {
      "description": "How hard it is to think. At most 32 characters; null or empty: none.",
      "anyOf": [
       {
        "type": "string",
        "pattern": "^$|[^\\s\\u0000-\\u001f\\u007f]",
        "maxLength": 32
       },
       {
        "type": "null"
       }
      ]
     },
     "messageEra": {
      "description": "The client's own label of the conversation's part. At most 80 characters; null or empty: none.",
      "anyOf": [
       {
        "type": "string",
        "pattern": "^$|[^\\s\\u0000-\\u001f\\u007f]",
        "maxLength": 80
       },
       {
        "type": "null"
       }
      ]
     },
     "globalMsgNum": {
      "description": "The client's own number of the message.",
      "anyOf": [
       {
        "type": "integer",
        "minimum": 1,
        "maximum": 9007199254740991
       },
       {
        "type": "null"
       }
      ]
     },
     "handoffCode": {
      "description": "The client's own label of a handoff. At most 128 characters; null or empty: none.",
      "anyOf": [
       {
        "type": "string",
        "pattern": "^$|[^\\s\\u0000-\\u001f\\u007f]",
        "maxLength": 128
       },
       {
        "type": "null"
       }
      ]
     },
     "handoffLatest": {
      "description": "Kept only when it is true.",
      "type": "boolean"
     },
     "clientQueueItemId": {
      "description": "The client's own label of its queue's item. At most 120 characters; null or empty: none.",
      "anyOf": [
       {
        "type": "string",
        "pattern": "^$|[^\\s\\u0000-\\u001f\\u007f]",
        "maxLength": 120
       },
       {
        "type": "null"
       }
      ]
     },
     "reference": {
      "description": "An earlier query and its response.",
      "anyOf": [
       {
        "type": "object",
        "properties": {
         "query": {
          "type": "string",
          "description": "Not blank.",
          "pattern": "[^\\s\\u0000-\\u001f\\u007f]",
          "maxLength": 48000
         },
         "response": {
          "type": "string",
          "description": "Not blank.",
          "pattern": "[^\\s\\u0000-\\u001f\\u007f]",
          "maxLength": 128000
         }
        },
        "required": [
         "query",
         "response"
        ]
       },
       {
        "type": "null"
       }
      ]
     },
     "attachmentIds": {
      "description": "Ids of pictures; the first 5 valid ones are kept.",
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "attachmentRefs": {
      "description": "Pictures; the first 5 valid ones are kept.",
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/QueryAttachment"
      }
     },
     "activityToolMode": {
      "description": "How much of the tools' activity is shown; `status` without it.",
      "type": "string",
      "enum": [
       "off",
       "preview",
       "status"
      ]
     }
    },
    "required": [
     "clientJobId",
     "generation",
     "query",
     "sessionId"
    ],
    "additionalProperties": {},
    "description": "Unknown properties are dropped."
   },
   "QueueHealth": {
    "type": "object",
    "properties": {
     "due": {
      "type": "integer",
      "description": "Records due now, at most 1,000."
     },
     "more": {
      "type": "boolean",
      "description": "Whether there are, or may be, more than `due` says: of a queue, which all machines share, the first 3,000 entries are looked at."
     },
     "oldestDueAt": {
      "anyOf": [
       {
        "type": "string",
        "format": "date-time"
       },
       {
        "type": "null"
       }
      ],
      "description": "Since when the oldest of them is due; null when none was found."
     }
    },
    "required": [
     "due",
     "more",
     "oldestDueAt"
    ]
   },
   "Receipt": {
    "type": "object",
    "properties": {
     "version": {
      "type": "number",
      "const": 1
     },
     "id": {
      "type": "string",
      "description": "SHA-256 of the canonical text of the 8 key fields, in hex."
     },
     "principalId": {
      "type": "string"
     },
     "workspaceId": {
      "type": "string"
     },
     "sessionId": {
      "type": "string"
     },
     "memberId": {
      "type": "string"
     },
     "memberGeneration": {
      "type": "integer"
     },
     "tool": {
      "type": "string"
     },
     "action": {
      "type": "string"
     },
     "operationId": {
      "type": "string"
     },
     "payloadHash": {
      "type": "string",
      "description": "Of the payload, which is not stored."
     },
     "state": {
      "type": "string",
      "enum": [
       "prepared",
       "dispatching",
       "accepted",
       "terminal",
       "outcome-unknown"
      ]
     },
     "createdAt": {
      "type": "integer",
      "description": "Milliseconds since 1970, as all times of a receipt."
     },
     "updatedAt": {
      "type": "integer"
     },
     "preparedAt": {
      "type": "integer"
     },
     "dispatchingAt": {
      "type": "integer"
     },
     "acceptedAt": {
      "type": "integer"
     },
     "result": {
      "description": "What came of the operation: any JSON, or what its tool and action result in."
     },
     "terminalAt": {
      "type": "integer"
     },
     "outcomeUnknownAt": {
      "type": "integer"
     },
     "resolution": {
      "type": "object",
      "properties": {
       "outcome": {
        "type": "string",
        "enum": [
         "happened",
         "did_not_happen",
         "abandoned"
        ],
        "description": "What a person said."
       },
       "result": {
        "description": "With `happened`."
       },
       "resolvedAt": {
        "type": "integer"
       },
       "resolvedBy": {
        "type": "string",
        "description": "The id of the key that said so, with `/` and a name where it gave one; or `reconcile`."
       },
       "note": {
        "type": "string"
       }
      },
      "required": [
       "outcome",
       "resolvedAt",
       "resolvedBy"
      ],
      "description": "Stands for ever; `state` stays `outcome-unknown`."
     }
    },
    "required": [
     "version",
     "id",
     "principalId",
     "workspaceId",
     "sessionId",
     "memberId",
     "memberGeneration",
     "tool",
     "action",
     "operationId",
     "payloadHash",
     "state",
     "createdAt",
     "updatedAt",
     "preparedAt"
    ],
    "description": "What is known of one operation."
   },
   "ReceiptAnswer": {
    "type": "object",
    "properties": {
     "receipt": {
      "$ref": "#/components/schemas/Receipt"
     }
    },
    "required": [
     "receipt"
    ]
   },
   "ReceiptHealth": {
    "type": "object",
    "properties": {
     "attend": {
      "description": "Lapsed dispatches, and what is past its retention.",
      "$ref": "#/components/schemas/QueueHealth"
     },
     "stuck": {
      "description": "Waits for a person: unknown outcomes, and contradictions.",
      "$ref": "#/components/schemas/QueueHealth"
     },
     "counters": {
      "type": "object",
      "properties": {
       "replays": {
        "type": "integer",
        "description": "Calls that were answered from what is stored."
       },
       "conflicts": {
        "type": "integer",
        "description": "Calls with another payload or result."
       },
       "outcomesUnknown": {
        "type": "integer",
        "description": "Receipts that became outcome-unknown."
       },
       "contradictions": {
        "type": "integer",
        "description": "Late reports against a person's resolution."
       },
       "dispatchesLost": {
        "type": "integer",
        "description": "Calls by others than a dispatch's owner."
       }
      },
      "required": [
       "replays",
       "conflicts",
       "outcomesUnknown",
       "contradictions",
       "dispatchesLost"
      ],
      "description": "What this process met since it started."
     }
    },
    "required": [
     "attend",
     "stuck",
     "counters"
    ]
   },
   "ReceiptPage": {
    "type": "object",
    "properties": {
     "receipts": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/Receipt"
      }
     },
     "nextCursor": {
      "description": "Null when nothing follows. A page may be short, even empty, and have one.",
      "type": [
       "string",
       "null"
      ]
     },
     "corrupt": {
      "description": "Records met that cannot be read; they are left as they are.",
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "id": {
         "type": "string",
         "description": "Of the record in its collection."
        },
        "reason": {
         "type": "string",
         "description": "What is wrong, without anything of its content."
        }
       },
       "required": [
        "id",
        "reason"
       ]
      }
     }
    },
    "required": [
     "receipts",
     "nextCursor",
     "corrupt"
    ]
   },
   "RecoveryAnswer": {
    "type": "object",
    "properties": {
     "recovered": {
      "type": "integer",
      "description": "Dispatches that lapsed, whose outcome is unknown now."
     },
     "scanned": {
      "type": "integer",
      "description": "Entries looked at."
     },
     "nextCursor": {
      "description": "Null when nothing follows. A page may be short, even empty, and have one.",
      "type": [
       "string",
       "null"
      ]
     }
    },
    "required": [
     "recovered",
     "scanned",
     "nextCursor"
    ]
   },
   "RunAnswer": {
    "type": "object",
    "properties": {
     "applied": {
      "type": "boolean",
      "description": "False: nothing changed, and nothing was written."
     },
     "eventSeq": {
      "type": "integer",
      "description": "Of the event that this call, or its earlier try, wrote; else the last."
     },
     "status": {
      "type": "string",
      "enum": [
       "accepted",
       "starting",
       "running",
       "answer_ready",
       "completed",
       "failed",
       "canceled",
       "interrupted"
      ],
      "description": "After it."
     },
     "position": {
      "type": "string",
      "description": "For the next call of this run that has a `requestId`; opaque."
     },
     "job": {
      "description": "With `?job=full`.",
      "$ref": "#/components/schemas/QueryJob"
     }
    },
    "required": [
     "applied",
     "eventSeq",
     "status",
     "position"
    ]
   },
   "StartedRun": {
    "type": "object",
    "properties": {
     "applied": {
      "type": "boolean",
      "description": "Whether the run is this caller's: this call's, or its repeat's."
     },
     "job": {
      "$ref": "#/components/schemas/QueryJob"
     },
     "request": {
      "anyOf": [
       {
        "$ref": "#/components/schemas/QueryRequest"
       },
       {
        "type": "null"
       }
      ],
      "description": "What to answer; null for who does not hold the run."
     },
     "leaseToken": {
      "description": "The run's credential; null for others.",
      "type": [
       "string",
       "null"
      ]
     },
     "position": {
      "anyOf": [
       {
        "type": "string",
        "description": "For the next call of this run that has a `requestId`; opaque."
       },
       {
        "type": "null"
       }
      ]
     }
    },
    "required": [
     "applied",
     "job",
     "request",
     "leaseToken",
     "position"
    ]
   },
   "StuckItem": {
    "type": "object",
    "properties": {
     "machine": {
      "type": "string",
      "enum": [
       "emails",
       "receipts",
       "queries"
      ]
     },
     "id": {
      "type": "string",
      "description": "Names the record in every route of its machine."
     },
     "state": {
      "type": "string",
      "description": "`unreadable` for a record that cannot be read."
     },
     "since": {
      "type": "string",
      "format": "date-time"
     },
     "why": {
      "type": "string",
      "description": "Nothing of the record's content."
     },
     "action": {
      "type": "string",
      "description": "What a person can do about it."
     }
    },
    "required": [
     "machine",
     "id",
     "state",
     "since",
     "why",
     "action"
    ]
   },
   "StuckPage": {
    "type": "object",
    "properties": {
     "items": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/StuckItem"
      }
     },
     "nextCursor": {
      "description": "Null when nothing follows. A page may be short, even empty, and have one.",
      "type": [
       "string",
       "null"
      ]
     }
    },
    "required": [
     "items",
     "nextCursor"
    ]
   },
   "SubmittedQuery": {
    "type": "object",
    "properties": {
     "created": {
      "type": "boolean",
      "description": "Whether this call made it."
     },
     "job": {
      "$ref": "#/components/schemas/QueryJob"
     }
    },
    "required": [
     "created",
     "job"
    ]
   },
   "Ticket": {
    "type": "object",
    "properties": {
     "ticket": {
      "type": "string",
      "description": "A credential: whoever has it is let in."
     },
     "expiresAt": {
      "type": "string",
      "format": "date-time"
     }
    },
    "required": [
     "ticket",
     "expiresAt"
    ]
   },
   "EmailPayload": {
    "description": "`type`, `recipient`, and the fields of that kind. Unknown properties are refused; at most 32 levels and 20,000 values, no NUL character and no half surrogate pair.",
    "anyOf": [
     {
      "title": "first-view",
      "type": "object",
      "additionalProperties": false,
      "properties": {
       "type": {
        "type": "string",
        "const": "first-view"
       },
       "recipient": {
        "type": "string",
        "description": "An email address, without spaces around it.",
        "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        "maxLength": 320
       },
       "recordingIds": {
        "minItems": 1,
        "maxItems": 1,
        "type": "array",
        "items": {
         "type": "string",
         "minLength": 1,
         "pattern": "\\S"
        }
       },
       "shareId": {
        "type": "string",
        "minLength": 1,
        "pattern": "\\S"
       },
       "requestedBy": {
        "type": "string",
        "minLength": 1,
        "pattern": "\\S"
       }
      },
      "required": [
       "type",
       "recipient",
       "recordingIds"
      ]
     },
     {
      "title": "unviewed-reminder",
      "type": "object",
      "additionalProperties": false,
      "properties": {
       "type": {
        "type": "string",
        "const": "unviewed-reminder"
       },
       "recipient": {
        "type": "string",
        "description": "An email address, without spaces around it.",
        "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        "maxLength": 320
       },
       "recordingIds": {
        "minItems": 1,
        "maxItems": 1,
        "type": "array",
        "items": {
         "type": "string",
         "minLength": 1,
         "pattern": "\\S"
        }
       },
       "shareId": {
        "type": "string",
        "minLength": 1,
        "pattern": "\\S"
       },
       "requestedBy": {
        "type": "string",
        "minLength": 1,
        "pattern": "\\S"
       }
      },
      "required": [
       "type",
       "recipient",
       "recordingIds"
      ]
     },
     {
      "title": "first-import",
      "type": "object",
      "additionalProperties": false,
      "properties": {
       "type": {
        "type": "string",
        "const": "first-import"
       },
       "recipient": {
        "type": "string",
        "description": "An email address, without spaces around it.",
        "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        "maxLength": 320
       },
       "recordingIds": {
        "minItems": 1,
        "maxItems": 1,
        "type": "array",
        "items": {
         "type": "string",
         "minLength": 1,
         "pattern": "\\S"
        }
       },
       "shareId": {
        "type": "string",
        "minLength": 1,
        "pattern": "\\S"
       },
       "requestedBy": {
        "type": "string",
        "minLength": 1,
        "pattern": "\\S"
       }
      },
      "required": [
       "type",
       "recipient",
       "recordingIds"
      ]
     },
     {
      "title": "two-clips",
      "description": "Its job waits for a text that an AI writes.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
       "type": {
        "type": "string",
        "const": "two-clips"
       },
       "recipient": {
        "type": "string",
        "description": "An email address, without spaces around it.",
        "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        "maxLength": 320
       },
       "recordingIds": {
        "minItems": 2,
        "maxItems": 2,
        "type": "array",
        "items": {
         "type": "string",
         "minLength": 1,
         "pattern": "\\S"
        }
       },
       "shareId": {
        "type": "string",
        "minLength": 1,
        "pattern": "\\S"
       },
       "requestedBy": {
        "type": "string",
        "minLength": 1,
        "pattern": "\\S"
       }
      },
      "required": [
       "type",
       "recipient",
       "recordingIds"
      ]
     },
     {
      "title": "message",
      "type": "object",
      "additionalProperties": false,
      "properties": {
       "type": {
        "type": "string",
        "const": "message"
       },
       "recipient": {
        "type": "string",
        "description": "An email address, without spaces around it.",
        "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        "maxLength": 320
       },
       "subject": {
        "type": "string",
        "minLength": 1,
        "maxLength": 998,
        "pattern": "^[^\\r\\n\\0]*$"
       },
       "text": {
        "type": "string",
        "minLength": 1,
        "maxLength": 100000,
        "pattern": "^[^\\u0000]*$"
       },
       "html": {
        "type": "string",
        "minLength": 1,
        "maxLength": 100000,
        "pattern": "^[^\\u0000]*$"
       },
       "replyTo": {
        "type": "string",
        "maxLength": 320,
        "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"
       },
       "headers": {
        "type": "object",
        "propertyNames": {
         "type": "string",
         "pattern": "^[^\\u0000]*$"
        },
        "additionalProperties": {
         "type": "string",
         "maxLength": 998,
         "pattern": "^[^\\u0000]*$"
        }
       }
      },
      "required": [
       "type",
       "recipient",
       "subject",
       "text"
      ]
     },
     {
      "title": "a kind of this deployment's own",
      "type": "object",
      "properties": {
       "type": {
        "type": "string",
        "not": {
         "enum": [
          "first-view",
          "unviewed-reminder",
          "first-import",
          "two-clips",
          "message"
         ]
        }
       },
       "recipient": {
        "type": "string",
        "description": "An email address, without spaces around it.",
        "pattern": "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        "maxLength": 320
       }
      },
      "required": [
       "type",
       "recipient"
      ]
     }
    ]
   }
  }
 }
};
