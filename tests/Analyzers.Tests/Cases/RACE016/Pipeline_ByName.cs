// wrong
await using Pipeline<int> pipeline = Pipeline.Of<int>(capacity: 100_000).Run(); // RACE016

// fixed
await using Pipeline<int> pipeline = Pipeline.Of<int>(capacity: 131072).Run();
