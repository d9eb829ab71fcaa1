import { describeQueries } from "../../services/queries-suite.ts";
import { servicesFixture } from "./fixture.ts";

describeQueries("a bucket of S3", servicesFixture);
