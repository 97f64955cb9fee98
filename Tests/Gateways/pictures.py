"""A store that speaks S3 and believes nobody without a right signature. It is taken away and given back by SIGUSR1, and
SIGUSR2 has it say what is in it; SIGHUP turns the bytes of all that is in it round. Each answer is a line of JSON. SIGTERM ends it."""
import json
import os
import signal

# Before anything of boto is read.
os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="eu-1", INITIAL_NO_AUTH_ACTION_COUNT="4")

import boto3
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer

HEARD = {signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGTERM}
EVERYTHING = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}


def say(**what):
    print(json.dumps(what), flush=True)


def objects():
    [backends] = [s3_backends[account] for account in s3_backends]
    return {name: key for bucket in backends["aws"].buckets.values() for name, key in bucket.keys.items()}


def main():
    # Threads inherit it: the main one alone hears signals.
    signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    port = server._server.server_port
    place = {"endpoint_url": f"http://127.0.0.1:{port}"}
    boto3.client("s3", **place).create_bucket(Bucket="pictures", CreateBucketConfiguration={"LocationConstraint": "eu-1"})
    people = boto3.client("iam", **place)
    people.create_user(UserName="kurir")
    people.put_user_policy(UserName="kurir", PolicyName="pictures", PolicyDocument=json.dumps(EVERYTHING))
    key = people.create_access_key(UserName="kurir")["AccessKey"]
    say(place=f"s3://pictures?endpoint=http://127.0.0.1:{port}&region=eu-1", user=key["AccessKeyId"], password=key["SecretAccessKey"])
    while (number := signal.sigwait(HEARD)) != signal.SIGTERM:
        if number == signal.SIGUSR2:
            say(objects=sorted(objects()))
        elif number == signal.SIGHUP:
            for key in objects().values():
                key.value = key.value[::-1]
            say(turned=len(objects()))
        elif server:
            server.stop()
            server = None
            say(here=False)
        else:
            server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
            server.start()
            say(here=True)
    # Its threads would go on.
    os._exit(0)


if __name__ == "__main__":
    main()
