import { describeEmails } from "../../services/emails-suite.ts";
import { servicesFixture } from "./fixture.ts";

describeEmails("a bucket of S3", servicesFixture);
