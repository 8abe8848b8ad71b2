namespace Raceway.Logging.Tests.Providers;

/// <summary>Which messages the writer formats: those of which it is known that they stay the same.</summary>
public sealed partial class LoggedStateTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Stays_OfEachKindOfMessage()
    {
        var probe = new Probe();
        Assert.True(probe.Of(static logger => Plain(logger)));
        Assert.True(probe.Of(static logger => Values(logger, 1, "text", 2.5, Guid.Empty, DayOfWeek.Monday)));
        Assert.True(probe.Of(static logger => MaybeValue(logger, null)));
        Assert.False(probe.Of(static logger => AnObject(logger, new object())));
        Assert.False(probe.Of(static logger => AList(logger, [1, 2])));
        Assert.False(probe.Of(static logger => logger.LogInformation("Order {Id}", 7)));
        Assert.False(probe.Of(static logger => logger.Log(LogLevel.Information, default, "own", null, static (state, _) => state)));
    }

    /// <summary>A logger in between that passes its own formatter: that may use anything.</summary>
    [Fact]
    public void Stays_FormatterOfALoggerBetween_IsFalse_AlsoOnceTheOwnOneWasSeen()
    {
        var probe = new Probe();
        Assert.True(probe.Of(static logger => Values(logger, 1, "text", 2.5, Guid.Empty, DayOfWeek.Monday)));
        Assert.False(probe.Of(static logger => Values(new Between(logger), 1, "text", 2.5, Guid.Empty, DayOfWeek.Monday)));
        Assert.True(probe.Of(static logger => Values(logger, 1, "text", 2.5, Guid.Empty, DayOfWeek.Monday)));
    }

    [Theory]
    [InlineData(LogFormat.Text)]
    [InlineData(LogFormat.Json)]
    public void Entries_FormattedLater_AreThoseThatTheCallerWouldHaveFormatted(LogFormat format)
    {
        string[][] lines = new string[2][];
        for (int i = 0; i < 2; i++)
        {
            string name = $"{i}.log";
            var options = new RacewayFileLoggerOptions { Path = _folder.File(name), Format = format, Time = new VirtualTime() };
            if (i == 1) options.Formatter = new OfTheCaller(format);
            using (var provider = new RacewayFileLoggerProvider(options))
            {
                ILogger logger = provider.CreateLogger("Shop.Orders");
                Values(logger, 42, "a \"text\"", -2.5, Guid.AllBitsSet, DayOfWeek.Friday);
                MaybeValue(logger, null);
                MaybeValue(logger, 7);
                Plain(logger);
                AList(logger, [1, 2, 3]);
            }

            lines[i] = _folder.Lines(name);
        }

        Assert.Equal(5, lines[0].Length);
        Assert.Equal(lines[1], lines[0]);
    }

    /// <summary>What is the caller's alone is formatted by it: scopes, exceptions, and what a formatter of the user's reads.</summary>
    [Fact]
    public void Entries_WithScopesOrExceptions_HaveThoseOfTheCall()
    {
        var options = new RacewayFileLoggerOptions { Path = _folder.File(), IncludeScopes = true, Time = new VirtualTime() };
        var scopes = new LoggerExternalScopeProvider();
        using (var provider = new RacewayFileLoggerProvider(options))
        {
            provider.SetScopeProvider(scopes);
            ILogger logger = provider.CreateLogger("Shop");
            using (logger.BeginScope("request 1")) MaybeValue(logger, 1);
            MaybeValue(logger, 2);
        }

        Assert.Equal(
            ["1970-01-01 00:00:00.000Z INF Shop[3] => request 1: Weight 1", "1970-01-01 00:00:00.000Z INF Shop[3]: Weight 2"], _folder.Lines());
    }

    [LoggerMessage(1, LogLevel.Information, "Nothing else")]
    private static partial void Plain(ILogger logger);

    [LoggerMessage(2, LogLevel.Information, "Order {Id} of {Name} weighs {Weight:F1} as {Key} on {Day}")]
    private static partial void Values(ILogger logger, int id, string name, double weight, Guid key, DayOfWeek day);

    [LoggerMessage(3, LogLevel.Information, "Weight {Weight}")]
    private static partial void MaybeValue(ILogger logger, int? weight);

    [LoggerMessage(4, LogLevel.Information, "Thing {Thing}")]
    private static partial void AnObject(ILogger logger, object thing);

    [LoggerMessage(5, LogLevel.Information, "Things {Things}")]
    private static partial void AList(ILogger logger, List<int> things);

    /// <summary>Asks of each message that it gets.</summary>
    private sealed class Probe : ILogger
    {
        private bool? _stays;

        public bool Of(Action<ILogger> log)
        {
            _stays = null;
            log(this);
            return Assert.NotNull(_stays);
        }

        public bool IsEnabled(LogLevel logLevel) => true;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            _stays = LoggedState<TState>.Stays(formatter);
    }

    private sealed class Between(ILogger inner) : ILogger
    {
        public bool IsEnabled(LogLevel logLevel) => true;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            inner.Log(logLevel, eventId, state, exception, (logged, cause) => $"{Environment.CurrentManagedThreadId}: {formatter(logged, cause)}");
    }

    /// <summary>A formatter of the user's: it is called by the thread that logs.</summary>
    private sealed class OfTheCaller(LogFormat format) : EntryFormatter
    {
        private readonly int _thread = Environment.CurrentManagedThreadId;

        public override void Write<TState>(
            in Microsoft.Extensions.Logging.Abstractions.LogEntry<TState> entry, IExternalScopeProvider? scopes, EntryWriter writer)
        {
            Assert.Equal(_thread, Environment.CurrentManagedThreadId);
            (format == LogFormat.Text ? Text : Json).Write(in entry, scopes, writer);
        }
    }
}
