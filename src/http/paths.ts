/** Addresses of requests, and the patterns of routes. */

export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Taken from the end, so that the app can be mounted below another path. */
export function pathParams(pattern: string, url: string): Record<string, string> | null {
  if (!pattern.includes("{")) return {};
  const path = pathOf(url).split("/").reverse();
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.split("/").reverse().entries()) {
    if (!part.startsWith("{")) continue;
    try {
      params[part.slice(1, -1)] = decodeURIComponent(path[index] ?? "");
    } catch {
      return null;
    }
  }
  return params;
}

export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.search(/[?#]/);
  return start < 0 ? "/" : url.slice(start, end < 0 ? undefined : end);
}

/** Null: a parameter stands in it twice. */
export function queryOf(url: string): Record<string, string> | null {
  const at = url.indexOf("?");
  if (at < 0) return {};
  const query = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    if (name in query) return null;
    query[name] = value;
  }
  return query;
}

/** Whole paths: below another path it is the outer app that is asked for what is not found. */
export function matches(pattern: string, path: string): boolean {
  const given = path.split("/");
  const parts = pattern.split("/");
  return (
    parts.length === given.length &&
    parts.every((part, index) =>
      part.startsWith("{") ? given[index] !== "" : part === given[index],
    )
  );
}
