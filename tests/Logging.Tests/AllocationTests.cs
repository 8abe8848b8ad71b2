namespace Raceway.Logging.Tests;

/// <summary>Tests that measure something of the whole process: never beside others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "Alone";
}

/// <summary>An entry costs no allocation beyond what its formatter makes.</summary>
[Collection(AloneCollection.Name)]
public sealed class AllocationTests : IDisposable
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
}
