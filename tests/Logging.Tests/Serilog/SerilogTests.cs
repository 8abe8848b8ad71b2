using System.Globalization;
using System.Text.Json;
using Serilog;
using Serilog.Core;
using Serilog.Debugging;
using Serilog.Events;
using Serilog.Formatting.Display;
using Serilog.Formatting.Json;

namespace Raceway.Logging.Tests.OfSerilog;

/// <summary>The sink of Serilog writes what Serilog's own formatters make.</summary>
public sealed class SerilogTests : IDisposable
{
    private const string Template = "{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz} [{Level:u3}] {SourceContext} {Message:lj}{NewLine}{Exception}";

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Events_AreWhatTheFormatterMakesOfThem()
    {
        var formatter = new MessageTemplateTextFormatter(Template, CultureInfo.InvariantCulture);
        var expected = new Collecting(formatter);
        using (Logger logger = new LoggerConfiguration().MinimumLevel.Verbose().WriteTo.Sink(expected)
            .WriteTo.RacewayFile(_folder.File(), outputTemplate: Template, formatProvider: CultureInfo.InvariantCulture).CreateLogger())
        {
            for (int i = 0; i < 500; i++)
            {
                logger.ForContext<SerilogTests>().Information("Order {Order} of {@Customer} costs {Price:0.00}", i, new { Name = "Änna 😀", Age = 7 }, 1.5);
                logger.Write((LogEventLevel)(i % 6), new InvalidOperationException("broken"), "Failed {Order,8}", i);
            }
        }

        Assert.Equal(expected.Text.ToString(), File.ReadAllText(_folder.File()));
    }

    [Fact]
    public void Json_IsWhatItsFormatterMakes()
    {
        using (Logger logger = new LoggerConfiguration().WriteTo.RacewayFile(new JsonFormatter(), _folder.File()).CreateLogger())
            logger.Information("Order {Order}", 42);

        using JsonDocument line = JsonDocument.Parse(Assert.Single(_folder.Lines()));
        Assert.Equal(42, line.RootElement.GetProperty("Properties").GetProperty("Order").GetInt32());
    }

    [Fact]
    public void Levels_BelowTheMinimumOrTheSwitch_AreLeftOut()
    {
        var level = new LoggingLevelSwitch(LogEventLevel.Error);
        using (Logger logger = new LoggerConfiguration().MinimumLevel.Verbose()
            .WriteTo.RacewayFile(_folder.File("minimum.log"), outputTemplate: "{Message}{NewLine}", restrictedToMinimumLevel: LogEventLevel.Warning)
            .WriteTo.RacewayFile(_folder.File("switch.log"), outputTemplate: "{Message}{NewLine}", levelSwitch: level).CreateLogger())
        {
            foreach (LogEventLevel one in Enum.GetValues<LogEventLevel>()) logger.Write(one, "{Level:l}", one.ToString());
        }

        Assert.Equal(["Warning", "Error", "Fatal"], _folder.Lines("minimum.log"));
        Assert.Equal(["Error", "Fatal"], _folder.Lines("switch.log"));
    }

    [Fact]
    public void Fatal_ReturnsWhenItIsWritten()
    {
        using Logger logger = new LoggerConfiguration()
            .WriteTo.RacewayFile(_folder.File(), new LogFileOptions { Time = new VirtualTime() }, "{Message}{NewLine}").CreateLogger();
        logger.Information("before");
        logger.Fatal("fatal");

        Assert.Equal(["before", "fatal"], _folder.Lines());
    }

    [Fact]
    public void Notice_IsAnEventOfTheSameForm()
    {
        var disk = new FaultyDisk();
        disk.Hold();
        var options = new LogFileOptions { Capacity = 16, FlushInterval = TimeSpan.Zero, Overflow = LogOverflow.DropNewest, Disk = disk };
        using (Logger logger = new LoggerConfiguration().WriteTo.RacewayFile(new JsonFormatter(), _folder.File(), options).CreateLogger())
        {
            for (int i = 0; i < 20; i++) logger.Information("entry");
            disk.Release();
        }

        string notice = _folder.Lines()[16];
        using JsonDocument json = JsonDocument.Parse(notice);
        Assert.Equal("Warning", json.RootElement.GetProperty("Level").GetString());
        Assert.Contains("4 log entries were dropped because the buffer was full (4 Information)", notice, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_OfTheCaller_StayAsTheyAre()
    {
        var options = new LogFileOptions();
        using (new LoggerConfiguration().WriteTo.RacewayFile(_folder.File(), options).CreateLogger())
            Assert.Null(options.SelfLog);
    }

    [Fact]
    public void Faults_OfTheFile_GoToSerilogsSelfLog()
    {
        List<string> told = [];
        File.WriteAllText(_folder.File("taken"), "");
        string path = Path.Combine(_folder.File("taken"), "app.log");
        SelfLog.Enable(line =>
        {
            lock (told) told.Add(line);
        });
        try
        {
            using Logger logger = new LoggerConfiguration().WriteTo.RacewayFile(path).CreateLogger();
            logger.Information("lost");
        }
        finally
        {
            SelfLog.Disable();
        }

        Assert.Contains(path, Assert.Single(told, line => line.Contains(path, StringComparison.Ordinal)), StringComparison.Ordinal);
    }

    private sealed class Collecting(MessageTemplateTextFormatter formatter) : ILogEventSink
    {
        public StringWriter Text { get; } = new(CultureInfo.InvariantCulture);

        public void Emit(LogEvent logEvent) => formatter.Format(logEvent, Text);
    }
}
