import { describeStore } from "../../conformance/store.ts";
import { bucketFixture } from "./fixture.ts";

describeStore("a bucket of S3", bucketFixture);
