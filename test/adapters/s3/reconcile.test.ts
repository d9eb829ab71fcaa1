import { describePass } from "../../services/reconcile-suite.ts";
import { servicesFixture } from "./fixture.ts";

describePass("a bucket of S3", servicesFixture);
