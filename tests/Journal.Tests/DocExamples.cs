using System.Buffers;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests;

/// <summary>The code of docs/durability.md.</summary>
public sealed class DocExamples
{
    [Fact]
    public async Task Example_RunTwice_HasTheStateOfBothRuns()
    {
        using var temporary = new TempFolder();
        string folder = temporary.Path;
        for (int run = 1; run <= 2; run++)
        {
            var accounts = new Accounts();
            using Journal<Deposit> journal = Journal<Deposit>.Open(folder, JournalCodec.Unmanaged<Deposit>());
            await using Pipeline<Deposit> pipeline = Pipeline.Of<Deposit>(1024)
                .Stage("journal", journal)
                .Stage("accounts", accounts)
                .Run();

            // What earlier runs have stored, through the same stages; then new items.
            SingleProducer<Deposit> producer = pipeline.CreateProducer();
            journal.Replay(producer);

            DurablePublisher<Deposit> publisher = journal.CreatePublisher(producer);
            await publisher.PublishAsync(new Deposit { Account = 7, Cents = 100 }); // completes when it is on the disk
            await Watchdog.Await(pipeline.DrainAsync(TimeSpan.FromMinutes(5)), pipeline.Ring);
            Assert.Equal(run * 100, accounts.Cents);
        }
    }

    [Fact]
    public void Snapshot_OfAHandler_ComesBack()
    {
        var disk = new SimulatedDisk(new Random(1));
        using (var journal = Kit.Open(disk)) new Accounts { Cents = 5 }.Save(journal, 0);
        using var again = Kit.Open(disk);
        Assert.Equal(5, BitConverter.ToInt64(again.Snapshots.Latest!.State.Span));
    }

    private struct Deposit
    {
        public long Account;
        public long Cents;
    }

    private sealed class Accounts : IEventHandler<Deposit>
    {
        public long Cents { get; set; }

        public void OnEvent(ref Deposit item, long sequence, bool endOfBatch) => Cents += item.Cents;

        public void Save(Journal<long> journal, long next)
        {
            if (next % 10_000 == 0) journal.Snapshots.TrySave(next, this, static (accounts, output) => accounts.WriteTo(output));
        }

        private void WriteTo(IBufferWriter<byte> output) => output.Write(BitConverter.GetBytes(Cents));
    }
}
