using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Raceway.Lab.Tests.Support;

/// <summary>
/// A headless Chromium, driven over the DevTools protocol through a pair of pipes: nothing listens anywhere.
/// </summary>
internal sealed class Browser : IDisposable
{
    // Without a word for so long it hangs.
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(3);
    private static readonly string[] s_programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

    private readonly TempFolder _profile = new();
    private readonly Process _process;
    private readonly BufferedStream _answers;
    private readonly List<JsonObject> _events = [];
    private string? _target;
    private string? _session;
    private int _calls;

    public Browser()
    {
        // The browser reads commands from descriptor 3 and answers on 4.
        string line = $"exec {Program} --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars "
            + "--no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-extensions "
            + $"--user-data-dir='{_profile.Path}' --remote-debugging-pipe about:blank "
                + "3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";
        _process = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", line])
        {
            RedirectStandardInput = true, RedirectStandardOutput = true,
        })!;
        _answers = new BufferedStream(_process.StandardOutput.BaseStream, 1 << 16);
    }

    /// <summary>The browser of this machine, where it has one.</summary>
    public static string? Program { get; } = OperatingSystem.IsLinux() ? s_programs.FirstOrDefault(System.IO.File.Exists) : null;

    /// <summary>Why tests with it cannot run, where they cannot.</summary>
    public static string? Missing => Program is null ? "not run: it needs Chromium (apt-get install chromium)" : null;

    /// <summary>What went wrong in the page: errors, refusals of its policy, warnings of the console.</summary>
    public IEnumerable<string> Complaints => _events
        .Where(one => (string?)one["method"] is "Runtime.exceptionThrown" or "Log.entryAdded" or "Runtime.consoleAPICalled")
        .Select(one => one["params"]!.ToJsonString());

    /// <summary>The addresses that the page asked for, itself included.</summary>
    public IEnumerable<string> Requests => _events.Where(one => (string?)one["method"] == "Network.requestWillBeSent")
        .Select(one => (string)one["params"]!["request"]!["url"]!);

    /// <summary>Opens a file as on a screen of this size, light or dark, and waits until its charts are drawn.</summary>
    public void Open(string path, int width = 1040, bool isDark = false)
    {
        _session = null;
        if (_target is not null) Call("Target.closeTarget", new() { ["targetId"] = _target });
        _target = (string)Call("Target.createTarget", new() { ["url"] = "about:blank" })["targetId"]!;
        _session = (string)Call("Target.attachToTarget", new() { ["targetId"] = _target, ["flatten"] = true })["sessionId"]!;
        _events.Clear();
        foreach (string domain in new[] { "Page", "Runtime", "Log", "Network" }) Call($"{domain}.enable");
        Call("Emulation.setDeviceMetricsOverride", new()
        {
            ["width"] = width, ["height"] = 860, ["deviceScaleFactor"] = 1, ["mobile"] = width < 500,
        });
        Call("Emulation.setEmulatedMedia", new()
        {
            ["features"] = new JsonArray(new JsonObject
            {
                ["name"] = "prefers-color-scheme", ["value"] = isDark ? "dark" : "light",
            }),
        });
        Call("Page.navigate", new() { ["url"] = new Uri(path).AbsoluteUri });
        while (!_events.Exists(one => (string?)one["method"] == "Page.loadEventFired")) Read();
        Settle();
    }

    /// <summary>Waits for two frames: by then everything that the scripts asked for is painted.</summary>
    public void Settle() =>
        Evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");

    /// <summary>The value of an expression in the page.</summary>
    public JsonNode? Evaluate(string expression)
    {
        JsonObject answer = Call("Runtime.evaluate", new()
        {
            ["expression"] = expression, ["returnByValue"] = true, ["awaitPromise"] = true,
        });
        Assert.True(answer["exceptionDetails"] is null, answer.ToJsonString());
        return answer["result"]!["value"]?.DeepClone();
    }

    /// <summary>Presses and releases a key.</summary>
    public void Press(string key, int code)
    {
        foreach (string type in new[] { "keyDown", "keyUp" })
        {
            Call("Input.dispatchKeyEvent", new()
                { ["type"] = type, ["key"] = key, ["code"] = key, ["windowsVirtualKeyCode"] = code });
        }
    }

    public void Dispose()
    {
        _process.Kill(entireProcessTree: true);
        _process.WaitForExit();
        _process.Dispose();
        _profile.Dispose();
    }

    private JsonObject Call(string method, JsonObject? parameters = null)
    {
        int id = ++_calls;
        var call = new JsonObject { ["id"] = id, ["method"] = method, ["params"] = parameters ?? [] };
        if (_session is not null) call["sessionId"] = _session;
        _process.StandardInput.BaseStream.Write([.. Encoding.UTF8.GetBytes(call.ToJsonString()), 0]);
        _process.StandardInput.BaseStream.Flush();
        while (true)
        {
            JsonObject message = Read();
            if ((int?)message["id"] != id) continue;
            Assert.True(message["error"] is null, $"{method}: {message.ToJsonString()}");
            return message["result"]!.AsObject();
        }
    }

    private JsonObject Read()
    {
        var text = new List<byte>();
        var one = new byte[1];
        using var watchdog = new CancellationTokenSource(s_hang);
        using var stop = watchdog.Token.Register(() => _process.Kill(entireProcessTree: true));
        while (true)
        {
            if (_answers.Read(one) == 0) throw new InvalidOperationException("the browser has ended");
            if (one[0] == 0) break;
            text.Add(one[0]);
        }

        JsonObject message = JsonNode.Parse(text.ToArray())!.AsObject();
        if (message["id"] is null) _events.Add(message);
        return message;
    }
}

/// <summary>A test that needs a browser; without one it is skipped, and says so.</summary>
internal sealed class BrowserFactAttribute : FactAttribute
{
    public BrowserFactAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line) => Skip = Browser.Missing;
}

/// <summary>The same with several inputs.</summary>
internal sealed class BrowserTheoryAttribute : TheoryAttribute
{
    public BrowserTheoryAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line) => Skip = Browser.Missing;
}
