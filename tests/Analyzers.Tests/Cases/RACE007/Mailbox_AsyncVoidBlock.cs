// wrong
await using Mailbox<int> delays = Mailbox.Start<int>(async (int delay) => // RACE007
{
    await Task.Delay(delay);
    Console.WriteLine(delay);
});

// fixed
await using Mailbox<int> delays = Mailbox.Start<int>(async (int delay, CancellationToken cancellation) =>
{
    await Task.Delay(delay);
    Console.WriteLine(delay);
});
