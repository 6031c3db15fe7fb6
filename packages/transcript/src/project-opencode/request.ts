import type { PermissionRequest, QuestionRequest } from "@beeuni/protocol";
import { changeOf } from "./file-tools.ts";
import type { WirePermission, WireQuestion } from "./types.ts";

export function wirePermission(request: PermissionRequest): WirePermission {
  const { permission, patterns, metadata, always, tool } = request;
  return { ...asked(request), permission, patterns, metadata: { ...metadata, ...changeOf(tool, metadata) }, always };
}

export function wireQuestion(request: QuestionRequest): WireQuestion {
  return {
    ...asked(request),
    questions: request.questions.map(({ question, header, options, multiple, custom }) => ({
      question, header, options, ...(multiple === undefined ? {} : { multiple }), ...(custom === undefined ? {} : { custom }),
    })),
  };
}

function asked({ id, session, call }: PermissionRequest | QuestionRequest): { id: string; sessionID: string; tool?: { messageID: string; callID: string } } {
  return { id, sessionID: session, ...(call === undefined ? {} : { tool: { messageID: call.message, callID: call.callId } }) };
}
