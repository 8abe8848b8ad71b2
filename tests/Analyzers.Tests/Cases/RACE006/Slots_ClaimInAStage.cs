// wrong
await using var ring = new RingBuffer<int>(16, new() { Producers = ProducerKind.Multi });
MultiProducer<int> again = ring.CreateMultiProducer();
ring.Slots.Subscribe((ref int item) =>
{
    using Claim<int> claim = again.Claim(); // RACE006
    claim.Slot = item;
    claim.Commit();
});
await ring.StartAsync();

// right
await using var ring = new RingBuffer<int>(16, new() { Producers = ProducerKind.Multi });
MultiProducer<int> again = ring.CreateMultiProducer();
ring.Slots.Subscribe((ref int item) =>
{
    if (again.TryClaim(1, out Claim<int> claim) != ClaimStatus.Done) return;
    claim.Slot = item;
    claim.Commit();
});
await ring.StartAsync();
