DROP TABLE "commit_positions";
