// wrong
await using var ring = new RingBuffer<int>(1024);
SingleProducer<int> producer = ring.CreateProducer();

Task first = Task.Run(() => producer.Publish(1));
Task second = Task.Run(() => producer.Publish(2)); // RACE003
await Task.WhenAll(first, second);

// right
await using var ring = new RingBuffer<int>(1024);
SingleProducer<int> producer = ring.CreateProducer();

Task first = Task.Run(() => producer.Publish(1));
await first;
Task second = Task.Run(() => producer.Publish(2));
await second;
