using Raceway.Interop.Logging.Writing;

namespace Raceway.Logging.Tests;

/// <summary>Tests that measure something of the whole process: never beside others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "Alone";
}

/// <summary>An entry costs no allocation beyond what its formatter makes.</summary>
[Collection(AloneCollection.Name)]
public sealed partial class AllocationTests : IDisposable
{
    private const int Count = 20_000;

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Write_OfEntries_AllocatesNothing()
    {
        using var file = new LogFile(_folder.File());
        void Run()
        {
            for (int i = 0; i < Count; i++) file.Write(LogLevel.Information, i, static (number, writer) =>
            {
                writer.WriteTimestamp();
                writer.WriteLine(" an entry of the same length");
            });
            Assert.True(file.Flush());
        }

        Run();
        Allocated.AssertNoneAMessage(Count, Run);
    }

    [Fact]
    public void WriteLater_OfEightTypes_AllocatesNothing()
    {
        const int Capacity = 1024, Types = KeeperPools.Most;
        using var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = Capacity });
        Action[] logs =
        [
            () => Later(file, (byte)1), () => Later(file, (short)1), () => Later(file, 1), () => Later(file, 1L),
            () => Later(file, 1f), () => Later(file, 1d), () => Later(file, '1'), () => Later(file, "1"),
        ];
        Assert.Equal(Types, logs.Length);
        void Run()
        {
            for (int i = 0; i < Types * Capacity; i++)
            {
                logs[i % Types]();
                // The writer is never behind: then entries are not kept.
                if (i % (Capacity / 4) == 0) Assert.True(file.Flush());
            }

            Assert.True(file.Flush());
        }

        // The buffer is as full with each type as it will be.
        foreach (Action log in logs)
        {
            for (int i = 0; i < Capacity / 4; i++) log();
            Assert.True(file.Flush());
        }

        Run();
        Allocated.AssertNoneAMessage(Types * Capacity, Run);
    }

    [Fact]
    public void Log_OfMessagesWithTexts_AllocatesTheMessageAndOneObject()
    {
        using var provider = new RacewayFileLoggerProvider(new RacewayFileLoggerOptions { Path = _folder.File() });
        ILogger logger = provider.CreateLogger("Shop.Orders");
        const int Rounds = 40, Each = 100;
        void Run()
        {
            for (int round = 0; round < Rounds; round++)
            {
                for (int i = 0; i < Each; i++) Greeted(logger, "a name of 20 letters", "another of 20 letters");
                Assert.True(provider.File.Flush());
            }
        }

        Run();
        // The message of 54 characters has 136 bytes. Its values in an object, to look at the texts' lengths, have 40.
        Allocated.AssertFewer(Rounds * Each * (136 + 40 + 16) / 24, Run);
    }

    [LoggerMessage(1, LogLevel.Information, "Hello, {Name} and {Other}!")]
    private static partial void Greeted(ILogger logger, string name, string other);

    [Fact]
    public void Write_IntoAFullBuffer_AllocatesNothing()
    {
        using var file = new LogFile(_folder.File(), new LogFileOptions { Capacity = 16, FlushInterval = TimeSpan.Zero });
        void Run()
        {
            for (int i = 0; i < Count; i++) file.Line("an entry that has to wait for room");
            Assert.True(file.Flush());
        }

        Run();
        Allocated.AssertNoneAMessage(Count, Run);
    }

    [Theory]
    [InlineData(LogFormat.Text)]
    [InlineData(LogFormat.Json)]
    public void Log_ByAProvider_AllocatesNothingBeyondItsMessage(LogFormat format)
    {
        using var provider = new RacewayFileLoggerProvider(new RacewayFileLoggerOptions { Path = _folder.File(), Format = format });
        ILogger logger = provider.CreateLogger("Shop.Orders");
        void Run()
        {
            for (int i = 0; i < Count; i++) logger.Log(LogLevel.Information, new EventId(7), i, null, static (_, _) => "The same message for each");
            Assert.True(provider.File.Flush());
        }

        Run();
        Allocated.AssertNoneAMessage(Count, Run);
    }

    private static void Later<T>(LogFile file, T value) => file.WriteLater(LogLevel.Information, in value, SameLength<T>.Format);

    private static class SameLength<T>
    {
        public static readonly EntryFormat<T> Format = static (_, writer) =>
        {
            writer.WriteTimestamp();
            writer.WriteLine(" an entry of the same length");
        };
    }
}
