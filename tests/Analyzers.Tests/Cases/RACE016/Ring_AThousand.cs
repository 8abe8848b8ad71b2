// wrong
await using var ring = new RingBuffer<int>(1000); // RACE016

// fixed
await using var ring = new RingBuffer<int>(1024);
