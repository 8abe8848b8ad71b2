// wrong
await using var ring = new RingBuffer<int>(1024);
SingleProducer<int> producer = ring.CreateProducer();

var first = new Thread(() => producer.Publish(1));
var second = new Thread(() => producer.Publish(2)); // RACE003
first.Start();
second.Start();
first.Join();
second.Join();

// right
await using var ring = new RingBuffer<int>(1024);
Publisher<int> publisher = ring.GetPublisher();
var first = new Thread(() => publisher.Publish(1));
var second = new Thread(() => publisher.Publish(2));
first.Start();
second.Start();
first.Join();
second.Join();
