import { afterAll } from "vitest";
import { describeQueries } from "../../services/queries-suite.ts";
import { emailsFixture, openR2 } from "./fixture.ts";

const r2 = await openR2();
afterAll(() => r2.close());

describeQueries("R2", async () => emailsFixture(r2));
