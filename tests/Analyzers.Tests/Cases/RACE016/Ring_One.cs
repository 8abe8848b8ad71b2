// wrong
await using var ring = new RingBuffer<int>(1); // RACE016

// fixed
await using var ring = new RingBuffer<int>(2);
